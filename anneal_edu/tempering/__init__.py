"""Chains that change their temperature: parallel and simulated tempering, and what they say about log Z."""
