"""Clients of an arena that load tests run in processes of their own."""
