"""FIDE's Dutch system (C.04.3), in force since February 2026, in plain Python."""
