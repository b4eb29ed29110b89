"""The protocols and notations of other HeXO programs: Six, the htttx bot API, BKE, htttx."""
