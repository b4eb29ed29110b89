"""Server protocols, one file each; a platform hands plain facts to the session."""
