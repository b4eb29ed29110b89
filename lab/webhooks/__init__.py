"""Bad calls to the webhook of a bot."""
