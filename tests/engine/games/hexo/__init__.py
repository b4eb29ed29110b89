"""HeXO, tested."""
