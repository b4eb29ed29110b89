"""The page as a folder of files for any web server: games, lessons, puzzles and analysis.

The browser plays, judges and remembers everything by itself (`bot/arena/web/js/serverless/`).
"""
