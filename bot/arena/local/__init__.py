"""Games that people have played on their own devices, and add to their games on the arena."""
