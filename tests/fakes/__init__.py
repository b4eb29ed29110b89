"""Stand-ins that behave: a clock to turn by hand, engines that misbehave, servers that drop."""
