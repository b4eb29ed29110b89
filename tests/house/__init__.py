"""The house: where things live, and who may know whom."""
