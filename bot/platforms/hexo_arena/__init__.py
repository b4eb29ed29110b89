"""HeXO-Arena: a ladder for bots that play HeXO. The bot dials out; docs/hexo-arena.md."""
