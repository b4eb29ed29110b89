"""Game records: their model, storage and exports."""
