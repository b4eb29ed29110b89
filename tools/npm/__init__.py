"""A package in the form of npm: the rules and the search for programs in JavaScript."""
