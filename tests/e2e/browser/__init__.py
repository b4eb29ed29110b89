"""The page in real headless Chromium, served by a real arena, against scripted opponents."""
