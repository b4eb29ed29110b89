"""FIDE's tournament report files (TRF16, with the codes of TRF26 that pairing needs)."""
