"""What the arena keeps on its disk, written down before anybody hears of it."""
