"""A push service for Firefox on loopback: the socket by which the browser subscribes and gets its messages, as Mozilla's
service speaks it (autopush, "push service protocol"). What a sender would post is handed over by `deliver`."""

import base64
import hashlib
import json
import queue
import socket
import struct
import threading
import uuid

HANDSHAKE = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
DELIVERED = 100


class PushService:
    """Serves browsers, each on a thread of its own."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self.listener.getsockname()[1]}/"
        self.channels = {}  # the socket of each subscription, by the end of its endpoint
        self.keys = {}  # the VAPID key of each subscription
        self.ended = set()  # the subscriptions that the browser gave up
        self.acknowledged = queue.Queue()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(Socket(connection),), daemon=True).start()

    def _serve(self, browser):
        try:
            browser.shake_hands()
            while (message := browser.receive()) is not None:
                self._answer(browser, message)
        except OSError:  # the browser has ended
            pass

    def _answer(self, browser, message):
        kind, channel = message.get("messageType"), message.get("channelID")
        if kind == "hello":
            browser.send({"messageType": kind, "uaid": message.get("uaid") or uuid.uuid4().hex, "status": 200,
                          "use_webpush": True, "broadcasts": {}})
        elif kind == "register":
            self.channels[channel], self.keys[channel] = browser, message.get("key")
            browser.send({"messageType": kind, "channelID": channel, "status": 200,
                          "pushEndpoint": f"https://push.example/{channel}"})
        elif kind == "unregister":
            self.ended.add(channel)
            browser.send({"messageType": kind, "channelID": channel, "status": 200})
        elif kind == "ack":
            for update in message["updates"]:
                self.acknowledged.put((update["version"], update["code"]))
        elif not message:
            browser.send({})  # a ping

    def deliver(self, endpoint, body, seconds=10):
        """Gives the browser a sealed message; raises if it does not say in time that it has opened it."""
        channel, version = endpoint.rsplit("/", 1)[1], uuid.uuid4().hex
        self.channels[channel].send({
            "messageType": "notification", "channelID": channel, "version": version, "ttl": 60,
            "data": base64.urlsafe_b64encode(body).rstrip(b"=").decode(), "headers": {"encoding": "aes128gcm"}})
        acknowledged = self.acknowledged.get(timeout=seconds)
        assert acknowledged == (version, DELIVERED), f"the browser answered {acknowledged} to {version}"

    def close(self):
        self.listener.close()


class Socket:
    """The server's end of a WebSocket with small text messages (RFC 6455)."""

    def __init__(self, connection):
        self.connection = connection
        self.file = connection.makefile("rb")
        self.lock = threading.Lock()

    def shake_hands(self):
        self.file.readline()
        headers = {}
        while line := self.file.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        digest = hashlib.sha1((headers["sec-websocket-key"] + HANDSHAKE).encode()).digest()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Accept: {base64.b64encode(digest).decode()}"]
        if protocol := headers.get("sec-websocket-protocol"):
            lines.append(f"Sec-WebSocket-Protocol: {protocol.split(',')[0].strip()}")
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode())

    def receive(self):
        """The next message; None at the end."""
        text = b""
        while head := self.file.read(2):
            isLast, kind, length = head[0] & 0x80, head[0] & 0x0f, head[1] & 0x7f
            if length == 126:
                length, = struct.unpack(">H", self.file.read(2))
            mask = self.file.read(4)
            payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(self.file.read(length)))
            if kind == CLOSE:
                return None
            if kind == PING:
                self._write(PONG, payload)
            elif kind in (0, TEXT):
                text += payload
                if isLast:
                    return json.loads(text)
        return None

    def send(self, message):
        self._write(TEXT, json.dumps(message).encode())

    def _write(self, kind, payload):
        size = bytes([len(payload)]) if len(payload) < 126 else struct.pack(">BH", 126, len(payload))
        with self.lock:
            self.connection.sendall(bytes([0x80 | kind]) + size + payload)
