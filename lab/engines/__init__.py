"""What engines are worth: strength, accuracy, and their use of time."""
