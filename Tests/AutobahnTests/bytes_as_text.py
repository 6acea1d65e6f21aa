"""Python 2's strings in Python 3: bytes as text of the characters 0 to 255."""

import binascii


def as_bytes(value: bytes | str | None) -> bytes | None:
    return value.encode("latin-1") if isinstance(value, str) else value


def as_text(value: bytes | str) -> str:
    return value.decode("latin-1") if isinstance(value, (bytes, bytearray)) else value


def hexadecimal(value: bytes | str) -> str:
    return binascii.b2a_hex(as_bytes(value)).decode("ascii")


def all_text(value):
    """The same value with text for bytes wherever they are in it."""
    if isinstance(value, (bytes, bytearray)):
        return as_text(value)
    if isinstance(value, dict):
        return {key: all_text(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(all_text(item) for item in value)
    return value
