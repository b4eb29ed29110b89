"""An engine as a program, by the engine protocol on stdin and stdout."""
