"""HeXO: six in a row on an unbounded hexagonal board, two stones a turn."""
