"""A server on a folder of a trial, and people who call it over HTTP."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import signal
import subprocess
import time


class Server:
    """The program on a folder, always on the same port."""

    running = set()

    def __init__(self, folder, binaries, *more):
        self.folder, self.binaries, self.more, self.port = folder, binaries, more, 0

    def start(self):
        self.log = open(f"{self.folder}.log", "a")
        self.process = subprocess.Popen(
            [f"{self.binaries}/watchwise", "serve", "--listen", f"127.0.0.1:{self.port}", "--data", self.folder, *self.more],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        Server.running.add(self.process)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            self.process.kill()
            raise RuntimeError(f"the server did not start: {pathlib.Path(self.log.name).read_text()[-800:]}")
        self.port = int(line.rsplit(":", 1)[1])

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()
        Server.running.discard(self.process)
        self.log.close()

    @classmethod
    def kill_all(cls):
        """Whatever a failed trial has left."""
        for process in list(cls.running):
            process.kill()
            process.wait()

    def token(self, user, scope=None):
        secret = bytes.fromhex(pathlib.Path(self.folder, "secret").read_text().split()[0])

        def part(content):
            return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=")

        claims = {"sub": user, "exp": int(time.time()) + 86400, "iat": int(time.time()) - 5}
        if scope:
            claims["scope"] = scope
        text = part({"alg": "HS256", "typ": "JWT"}) + b"." + part(claims)
        return (text + b"." + base64.urlsafe_b64encode(hmac.new(secret, text, hashlib.sha256).digest()).rstrip(b"=")).decode()

    def metric(self, name):
        """The value of a line of /metrics, named with its labels."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/metrics")
        for line in connection.getresponse().read().decode().splitlines():
            if line.startswith(f"watchwise_{name} "):
                return float(line.split()[1])
        raise RuntimeError(f"no metric {name}")

    def processor_seconds(self):
        """What the process has used of processors until now."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self):
        """Its memory in megabytes."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0


class Caller:
    """One connection that stays open."""

    def __init__(self, server, user, scope=None):
        self.server, self.token = server, server.token(user, scope)
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

    def call(self, method, path, body=None):
        self.connection.request(
            method, path, json.dumps(body) if body is not None else None,
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def command(self, **command):
        """The answer to a command; waits as long as a limit asks for."""
        while True:
            _, answer = self.call("POST", "/v1/commands", {"id": 1, **command})
            if answer.get("code") != "rate-limited":
                return answer
            time.sleep(answer["retryAfterMs"] / 1000)
