"""Games between engines on our own referee, and tournaments of them."""
