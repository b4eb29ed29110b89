"""Server protocols, a folder each; a platform hands plain facts to the session."""
