"""What a person sees and types in a terminal."""
