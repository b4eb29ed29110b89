"""Server protocols, one folder each. A platform hands plain facts to the daemon."""
