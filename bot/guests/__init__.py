"""What only some users need, a folder each. They come by doors: the entry points of the package.

The core imports nothing from here, and a guest imports no other. Without its folder, its tests and
its entry points in pyproject.toml, only its own feature is missing.
"""
