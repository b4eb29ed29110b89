"""The package for programs in JavaScript."""
