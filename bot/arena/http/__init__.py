"""HTTP for all rooms: addresses of clients, answers, limits and headers."""
