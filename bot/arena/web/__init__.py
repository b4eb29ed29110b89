"""The page, its files over HTTP, and what links to it show."""
