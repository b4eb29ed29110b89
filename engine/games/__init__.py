"""What each game has to say, and how positions follow from it."""
