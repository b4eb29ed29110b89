"""Each game's kernel and rules; `engine.catalogue` names them."""
