"""Output and input of commands that people use in a terminal."""
