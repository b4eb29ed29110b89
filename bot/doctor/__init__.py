"""What is wrong with an installation: the checks of `bluestone doctor`, which change nothing."""
