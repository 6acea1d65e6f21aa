"""A push service for Firefox on loopback. It has the socket by which the browser subscribes and gets its messages, as
Mozilla's service speaks it (autopush, "push service protocol"), and the https endpoints to which senders post, which check
a request as the fake of Tests/PushProviders does."""

import argparse
import base64
import http.server
import pathlib
import queue
import socket
import ssl
import sys
import threading
import time
import uuid

from browser import PageError

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("PushProviders", "."))

from fakes import write_certificates
from service import Request
from Trials.device import Socket
from webpush import BODY_BYTES_MAX, Refused, WebPush

DELIVERED = 100  # the browser's code for a message that its worker has taken


class Post:
    """What a sender has posted and the service has taken."""

    def __init__(self, channel, request):
        self.channel = channel
        self.version = uuid.uuid4().hex
        self.topic = request.header("topic")
        self.urgency = request.header("urgency")
        self.lifetime = int(request.header("ttl"))
        self.code = None  # the browser's answer


class PushService:
    """Serves browsers and senders, each on a thread of its own.

    folder: for the certificate and its authority.
    """

    def __init__(self, folder):
        write_certificates(folder)
        self.authorities = folder / "ca.pem"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self.listener.getsockname()[1]}/"
        self.channels = {}  # the socket of each subscription, by the end of its endpoint
        self.keys = {}  # the VAPID key of each subscription
        self.ended = set()  # the subscriptions that the browser gave up
        self.posts = []  # what was taken, by age
        self.refused = []  # why other requests were not
        self.acknowledged = queue.Queue()  # what `deliver` waits for
        self.endpoints = Endpoints(self, folder)
        for work in (self._accept, self.endpoints.serve_forever):
            threading.Thread(target=work, daemon=True).start()

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
            while True:
                self._answer(browser, browser.receive())
        except OSError:  # the browser has ended
            pass

    def _answer(self, browser, message):
        kind, channel = message.get("messageType"), message.get("channelID")
        if kind == "hello":
            browser.send({"messageType": kind, "uaid": message.get("uaid") or uuid.uuid4().hex, "status": 200,
                          "use_webpush": True, "broadcasts": {}})
        elif kind == "register":
            self.channels[channel], self.keys[channel] = browser, message["key"].rstrip("=")
            browser.send({"messageType": kind, "channelID": channel, "status": 200,
                          "pushEndpoint": f"{self.endpoints.url}/{channel}"})
        elif kind == "unregister":
            self.ended.add(channel)
            browser.send({"messageType": kind, "channelID": channel, "status": 200})
        elif kind == "ack":
            for update in message["updates"]:
                self._acknowledge(update["version"], update["code"])
        elif not message:
            browser.send({})  # a ping

    def _acknowledge(self, version, code):
        for post in self.posts:
            if post.version == version:
                post.code = code
                return
        self.acknowledged.put((version, code))

    def take(self, request):
        """A sender's request; returns the status of the answer."""
        channel = request.path.lstrip("/")
        try:
            self._check(channel, request)
        except Refused as refused:
            self.refused.append(f"{refused.status} {refused.problem}")
            return refused.status
        post = Post(channel, request)
        self.posts.append(post)
        self._forward(channel, post.version, request.body)
        return 201

    def _check(self, channel, request):
        if channel in self.ended:
            raise Refused(410, "the subscription has ended")
        if channel not in self.channels:
            raise Refused(404, "no such subscription")
        checks = WebPush(argparse.Namespace(vapid=self.keys[channel]))
        checks.check_headers(request)
        checks.check_vapid(request.header("authorization") or "", request.authority, {})
        if len(request.body) > BODY_BYTES_MAX:
            raise Refused(413, f"{len(request.body)} bytes")

    def _forward(self, channel, version, body):
        self.channels[channel].send({
            "messageType": "notification", "channelID": channel, "version": version, "ttl": 60,
            "data": base64.urlsafe_b64encode(body).rstrip(b"=").decode(), "headers": {"encoding": "aes128gcm"}})

    def deliver(self, channel, body, seconds=10):
        """Gives the browser a sealed message of another sender; raises if it does not say in time that it has opened it."""
        version = uuid.uuid4().hex
        self._forward(channel, version, body)
        try:
            acknowledged = self.acknowledged.get(timeout=seconds)
        except queue.Empty:
            acknowledged = "nothing"
        assert acknowledged == (version, DELIVERED), f"the browser answered {acknowledged} to {version}"

    def posted(self, channel, topic):
        """What was posted to a subscription under a topic, by age."""
        return [post for post in self.posts if (post.channel, post.topic) == (channel, topic)]

    def wait_for_opened(self, post, seconds=10):
        """Waits until the browser says that it has opened a message."""
        deadline = time.monotonic() + seconds
        while post.code is None and time.monotonic() < deadline:
            time.sleep(0.02)
        if post.code != DELIVERED:
            raise PageError(f"the browser answered {post.code} to a push")

    def close(self):
        self.listener.close()
        self.endpoints.shutdown()
        self.endpoints.server_close()


class Endpoints(http.server.ThreadingHTTPServer):
    """The https side, with a certificate of an authority of its own."""

    daemon_threads = True

    def __init__(self, service, folder):
        super().__init__(("127.0.0.1", 0), Endpoint)
        self.service = service
        self.url = f"https://localhost:{self.server_port}"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem", folder / "server.key")
        # The handshake is for the thread of the connection.
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def handle_error(self, request, client_address):
        """The service goes on; what was not taken is missing in the test."""
        self.service.refused.append(f"broken: {sys.exception()}")


class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = [(name.lower(), value) for name, value in self.headers.items()]
        status = self.server.service.take(Request("1.1", "POST", self.path, self.headers["Host"], headers, body))
        self.send_response(status)
        if status == 201:
            self.send_header("Location", f"{self.server.url}/message/{uuid.uuid4().hex}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """The test prints its own lines."""
