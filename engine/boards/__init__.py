"""Boards as graphs, with places for drawing."""
