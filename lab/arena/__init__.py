"""Load and abuse of an arena, and how fast its page is."""
