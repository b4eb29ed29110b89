"""Games: their rules on the server, games in play and their clocks, and what is stored of them."""
