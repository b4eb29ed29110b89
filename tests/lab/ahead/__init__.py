"""The measurement of kernels compiled ahead of time."""
