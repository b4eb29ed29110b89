"""Boards as graphs of cells, with coordinates for drawing."""
