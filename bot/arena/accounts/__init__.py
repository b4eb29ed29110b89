"""Accounts of people: passkeys, recovery links, devices, export and deletion."""
