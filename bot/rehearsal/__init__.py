"""What the rehearsals of a bot on stand-ins for platforms share: their run, checks and verdict."""
