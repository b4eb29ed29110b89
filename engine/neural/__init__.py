"""A network that judges positions inside the search: what it sees, its weights, its evaluation."""
