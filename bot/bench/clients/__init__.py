"""Clients of an arena that load tests run in separate processes."""
