"""The programs in `examples/`, built and run as the documentation says."""
