"""Small text messages over a WebSocket (RFC 6455), either end, with only the standard library."""

import base64
import hashlib
import json
import os
import socket
import struct
import threading

HANDSHAKE = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
CONTINUED, TEXT, CLOSE, PING, PONG = 0, 1, 8, 9, 10


class Socket:
    """One end of a connection. Only a client's messages are masked (RFC 6455, section 5.3)."""

    def __init__(self, connection, isClient=False):
        self.connection = connection
        self.isClient = isClient
        self.file = connection.makefile("rb")
        self.lock = threading.Lock()

    @classmethod
    def connect(cls, port, path, seconds=10):
        """A client's end."""
        self = cls(socket.create_connection(("127.0.0.1", port), timeout=seconds), isClient=True)
        key = base64.b64encode(os.urandom(16)).decode()
        self._write_lines(f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
                          "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}")
        status, headers = self._read_head()
        if " 101 " not in status or headers["sec-websocket-accept"] != accepted(key):
            raise OSError(f"no WebSocket: {status}")
        return self

    def shake_hands(self):
        """The server's end."""
        _, headers = self._read_head()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Accept: {accepted(headers['sec-websocket-key'])}"]
        if protocol := headers.get("sec-websocket-protocol"):
            lines.append(f"Sec-WebSocket-Protocol: {protocol.split(',')[0].strip()}")
        self._write_lines(*lines)

    def receive(self):
        """The next message; None at the end."""
        text = b""
        while head := self.file.read(2):
            isLast, kind, length = head[0] & 0x80, head[0] & 0x0f, head[1] & 0x7f
            if length >= 126:
                length = int.from_bytes(self.file.read(2 if length == 126 else 8))
            mask = self.file.read(4) if head[1] & 0x80 else bytes(4)
            payload = masked(self.file.read(length), mask)
            if kind == CLOSE:
                return None
            if kind == PING:
                self._write(PONG, payload)
            elif kind in (CONTINUED, TEXT):
                text += payload
                if isLast:
                    return json.loads(text)
        return None

    def send(self, message):
        self._write(TEXT, json.dumps(message).encode())

    def close(self):
        self.file.close()
        self.connection.close()

    def _write(self, kind, payload):
        size, flag = len(payload), 0x80 if self.isClient else 0
        length = bytes([flag | size]) if size < 126 else struct.pack(">BH", flag | 126, size)
        mask = os.urandom(4) if self.isClient else b""
        with self.lock:
            self.connection.sendall(bytes([0x80 | kind]) + length + mask + masked(payload, mask or bytes(4)))

    def _write_lines(self, *lines):
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode())

    def _read_head(self):
        first, headers = self.file.readline().decode("latin-1"), {}
        while line := self.file.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        return first, headers


def masked(payload, mask):
    return bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))


def accepted(key):
    """What a server answers to a client's key (RFC 6455, section 4.2.2)."""
    return base64.b64encode(hashlib.sha1((key + HANDSHAKE).encode()).digest()).decode()
