"""Stargazers, by Dale Walton, 2023."""
