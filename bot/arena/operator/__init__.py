"""The operator: commands, orders, blocks and maintenance."""
