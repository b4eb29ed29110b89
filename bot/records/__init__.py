"""Game records: the model, where they are kept, and what they are exported to."""
