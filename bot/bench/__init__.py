"""Measurements of this machine and this version. docs/performance.md has results."""
