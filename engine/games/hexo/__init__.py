"""HeXO: six in a row on an unbounded hexagonal grid, two stones a turn."""
