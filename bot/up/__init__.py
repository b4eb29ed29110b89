"""`bluestone up`: an arena and its house bots, from one command."""
