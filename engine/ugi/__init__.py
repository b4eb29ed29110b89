"""The engine as a program that speaks the engine protocol on stdin and stdout."""
