"""What every game gives the search: compiled functions over its records."""
