"""The edge of the arena: connections, their requests, and pages."""
