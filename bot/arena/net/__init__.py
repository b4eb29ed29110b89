"""The edge of the arena: connections, what comes in over them, and pages."""
