"""A watchwise demo as a child process: started, killed, and started again on the same port and data."""

import json
import re
import signal
import subprocess
import threading
import time
import urllib.request

from websocket import Socket


class ServerError(Exception):
    """The server did not start; the message has its output."""


class DemoServer:
    def __init__(self, binary, data, log, *more):
        self.binary = binary
        self.data = data
        self.more = more
        self.log = open(log, "ab")
        self.port = 0
        self.page = None
        self.administrator = None  # a token

    def start(self, seconds=30):
        self.process = subprocess.Popen(
            [self.binary, "demo", "--listen", f"127.0.0.1:{self.port}", "--data", self.data, *self.more],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        found = threading.Event()
        threading.Thread(target=self._read, args=(self.process.stdout, found), daemon=True).start()
        deadline = time.monotonic() + seconds
        while not found.wait(0.05):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise ServerError(f"the demo printed no page address (exit {self.process.poll()}); see {self.log.name}")

    def _read(self, lines, found):
        for line in lines:  # read to the end, so that the server never waits for a full pipe
            self.log.write(line.encode())
            self.log.flush()
            if match := re.match(r"page: (http://127\.0\.0\.1:(\d+)/demo)\s*$", line):
                self.page, self.port = match[1], int(match[2])
                found.set()

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            return answer.read()

    def command(self, user, /, **command):
        """Sends a command as one of the cast, over HTTP; returns its `ok`."""
        token = json.loads(self.get(f"/demo/session?user={user}"))["token"]
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/commands", json.dumps(command).encode(),
            {"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)["ok"]

    def administer(self, path):
        """The answer to a GET of an administrator."""
        if self.administrator is None:
            self.administrator = subprocess.run(
                [self.binary, "token", "operator", "--admin", "--data", self.data], stdout=subprocess.PIPE, text=True,
                timeout=10, check=True).stdout.strip()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/v1/{path}",
                                         headers={"Authorization": f"Bearer {self.administrator}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def connect(self, user, device):
        """A session of one of the cast on a device that is not a browser."""
        return Device(self.port, json.loads(self.get(f"/demo/session?user={user}"))["token"], device)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Ends it as an operator would; returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode


class Device:
    """A session over a WebSocket."""

    def __init__(self, port, token, device):
        self.socket = Socket.connect(port, "/v1/ws")
        self.last_id = 0
        self.hello = self.command(type="hello", token=token, device=device)

    def command(self, **command):
        """Sends a command; returns its `ok`."""
        self.last_id += 1
        self.socket.send({"id": self.last_id, **command})
        while (message := self.socket.receive()) is not None:
            if message.get("re") == self.last_id:
                if "error" in message:
                    raise ServerError(f"{command['type']}: {message['error']}")
                return message["ok"]
        raise ServerError(f"{command['type']}: the connection has ended")

    def close(self):
        self.socket.close()
