"""The analyst: a worker that evaluates positions for the visitors of an arena."""
