"""The formats of tournaments: they decide who plays whom next, from the results so far."""
