"""Encryption as other programs of the family do it, by libsodium itself."""
import base64
import ctypes
import json
import os

KEY, OTHER, PLANTED = "s1kr3t", "another", "pl4nted-s3cret"
SODIUM = ctypes.CDLL("libsodium.so.23")


def padded(key):
    return key.encode().ljust(32, b"\0")


def sealed(plain, key=KEY):
    """The envelope that another program of the family would send."""
    nonce, box = os.urandom(24), ctypes.create_string_buffer(len(plain) + 16)
    SODIUM.crypto_secretbox_easy(box, plain, ctypes.c_ulonglong(len(plain)), nonce, padded(key))
    data = base64.b64encode(nonce + box.raw).decode()
    return json.dumps({"_type": "encrypted", "data": data}).encode()


def opened(value, keys=(KEY, OTHER, PLANTED)):
    """(text inside, key) of an envelope; None where no key opens it."""
    box = base64.b64decode(value["data"], validate=True)
    plain = ctypes.create_string_buffer(len(box) - 40)
    for key in keys:
        if SODIUM.crypto_secretbox_open_easy(
                plain, box[24:], ctypes.c_ulonglong(len(box) - 24), box[:24], padded(key)) == 0:
            return plain.raw, key
    return None
