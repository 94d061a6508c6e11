"""Bridges between Thole and messengers: what all of them share, and one module for each messenger."""
