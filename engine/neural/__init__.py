"""The neural network that evaluates positions in the search: its inputs, weights and inference."""
