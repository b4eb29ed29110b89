"""The opening book: which turns were played in a position, and how they did."""
