"""Reads raw job logs: one streamed pass over bytes, in bounded memory."""
