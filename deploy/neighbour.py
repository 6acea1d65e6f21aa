#!/usr/bin/env python3
"""An example of another server beside WatchWise: it offers a feed, and receives webhooks.

    WEBHOOK_SECRET=$(watchwise webhooks secret) deploy/neighbour.py 9000

`GET /feed.xml` answers a feed of one announcement. `POST /hook` checks the signature by the rules of Standard Webhooks and
prints one line for each event; an unsigned request, or one older than five minutes, gets 401.
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import time

FEED = b"""<rss version="2.0"><channel><title>Department</title>
<item><guid>exams</guid><title>The exams begin on Monday</title></item></channel></rss>"""


def is_genuine(headers, body, secrets):
    """Whether one of the signatures was made with one of the secrets, not long ago."""
    identifier, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
        return False
    given = headers.get("webhook-signature", "").split()
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        digest = hmac.new(key, f"{identifier}.{stamp}.".encode() + body, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(digest).decode()
        if any(hmac.compare_digest(expected, signature) for signature in given):
            return True
    return False


class Neighbour(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200 if self.path == "/feed.xml" else 404, FEED if self.path == "/feed.xml" else b"")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_genuine(self.headers, body, os.environ["WEBHOOK_SECRET"].split()):
            print("refused: the signature is not of our secret", flush=True)
            return self.answer(401)
        event = json.loads(body)
        print(f"received {event['type']} {event['subject']} from trigger {event['data']['trigger']}", flush=True)
        return self.answer(204)

    def answer(self, status, body=b""):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", "application/rss+xml")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Only the events are printed."""


if __name__ == "__main__":
    if "WEBHOOK_SECRET" not in os.environ:
        sys.exit("WEBHOOK_SECRET is not set; see the top of this file")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Neighbour)
    print(f"the neighbour listens on {server.server_address[1]}", flush=True)
    server.serve_forever()
