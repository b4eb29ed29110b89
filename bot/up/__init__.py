"""`bluestone up`: an arena and its bundled bots, from one command."""
