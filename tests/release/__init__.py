"""What a release promises: packages that install, databases that stay readable, stable names."""
