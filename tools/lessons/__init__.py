"""The page's lessons and pictured rules: their sources, and what the engine computes from them."""
