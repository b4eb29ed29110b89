"""What the rehearsals of a bot on stand-ins for platforms share: its process, and the verdict."""
