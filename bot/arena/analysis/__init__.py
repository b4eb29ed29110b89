"""Analysis of positions and games for visitors, done by analysts."""
