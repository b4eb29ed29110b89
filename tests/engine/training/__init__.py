"""How networks are made."""
