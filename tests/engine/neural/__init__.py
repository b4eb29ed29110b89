"""The network inside the search."""
