"""The server of the htttx bot API, which HeXO sites and bridges ask for turns of our engine."""
