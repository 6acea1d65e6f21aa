"""A watchwise server of a trial, and people who call it over HTTP."""

import http.client
import json
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time

from . import tokens
from .process import Problem, Process

ROOT = pathlib.Path(__file__).resolve().parents[2]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def ask(host, port, path, timeout=1.0, method="GET", token=None, body=None, headers=None):
    """The status and the bytes of an HTTP answer, on a connection of its own; an OSError where there is none."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    try:
        return exchange(connection, method, path, token, body, headers)
    except http.client.HTTPException as problem:
        raise OSError(f"{type(problem).__name__}: {problem}") from problem
    finally:
        connection.close()


def exchange(connection, method, path, token, body, headers=None):
    headers = {"Content-Type": "application/json", **(headers or {})}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def value_of(content):
    """What the bytes are as JSON, else their text."""
    text = content.decode(errors="replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


class Server(Process):
    """One process after another on the same folder, and on the port that the first one was given."""

    #: What it prints when it listens, with the port.
    READY = re.compile(r"listening on \S*:(\d+)$")
    COMMAND = "serve"

    def __init__(self, binary, data, *options, port=0, log=None):
        super().__init__(pathlib.Path(data).name, log or f"{data}.log")
        self.binary, self.data, self.options, self.port = str(binary), pathlib.Path(data), options, port

    def command_line(self):
        return [self.binary, self.COMMAND, "--listen", f"127.0.0.1:{self.port}", "--data", self.data, *self.table(), *self.options]

    def table(self):
        """The options for the film network's triggers, where no other ones are named."""
        names_one = self.COMMAND != "serve" or any(str(word).split("=")[0] in ("--triggers", "--config") for word in self.options)
        return [] if names_one else ["--triggers", "film-network"]

    def start(self, *options):
        """Starts it, with other options than before if some are given, and waits until it listens."""
        self.options = options or self.options
        self.launch(stdout=subprocess.PIPE)
        for line in iter(self.process.stdout.readline, b""):
            if found := self.READY.match(line.decode(errors="replace").rstrip()):
                self.listens(found)
                # A full pipe would stop it.
                threading.Thread(target=self.read_on, args=(self.process.stdout,), daemon=True).start()
                return self
        self.process.wait()
        self.process.stdout.close()
        raise Problem(f"{self.name} did not start: {self.last_words()}")

    def listens(self, found):
        self.port = int(found[1])

    @staticmethod
    def read_on(stream):
        with stream:
            while stream.read1(65536):
                pass

    def restart(self):
        """Kills it, and starts it again."""
        self.kill()
        return self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def token(self, user, *scopes, **more):
        return tokens.sign(self.data, user, *scopes, **more)

    def take_secrets(self, other):
        """Tokens of another folder are valid here, too. Before the first start."""
        self.data.mkdir(mode=0o700)
        for name in ("secret", "webhook-secret"):
            shutil.copy2(pathlib.Path(other, name), self.data / name)

    def run(self, *words, **more):
        """A command of the program about this server."""
        more = {"capture_output": True, "timeout": 90} | more
        return subprocess.run([self.binary, *words, "--data", str(self.data), "--server", self.url], text=True, **more)

    def ask(self, method, path, body=None, token=None, timeout=30, **headers):
        """The status of an answer, and its value if it is JSON, else its text."""
        status, content = ask("127.0.0.1", self.port, path, timeout, method, token, body, headers)
        return status, value_of(content)

    def metric(self, name):
        """The value of a line of /metrics, named with its labels."""
        for line in self.ask("GET", "/metrics")[1].splitlines():
            if line.startswith(f"watchwise_{name} "):
                return float(line.split()[1])
        raise Problem(f"no metric {name}")


class Caller:
    """Somebody's connection, which stays open."""

    def __init__(self, server, user, *scopes):
        self.server, self.user, self.scopes = server, user, scopes
        self.token, self.connection, self.count = server.token(user, *scopes), None, 0
        #: How long the last call took.
        self.seconds = 0

    def be(self, user):
        """From now on another person calls on this connection."""
        if user != self.user:
            self.user, self.token = user, self.server.token(user)

    def call(self, method, path, body=None, **headers):
        """The status and the value of one answer."""
        if self.connection is None or self.connection.port != self.server.port:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        began = time.perf_counter()
        try:
            status, content = exchange(self.connection, method, path, self.token, body, headers)
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise
        self.seconds = time.perf_counter() - began
        return status, value_of(content)

    def insist(self, method, path, body=None, seconds=60, **headers):
        """The same, however often it must be repeated: a server that is dead, stops or is busy is asked again."""
        self.count += 1
        headers.setdefault("Idempotency-Key", f"{self.user}-{self.count}")
        until = time.monotonic() + seconds
        while True:
            try:
                status, value = self.call(method, path, body, **headers)
                if status < 500 and status != 429:
                    return status, value
            except (OSError, http.client.HTTPException):
                pass
            if time.monotonic() > until:
                raise Problem(f"{method} {path} was not answered for {seconds} s")
            time.sleep(0.02)

    def ask(self, method, path, body=None, insists=False):
        """The value of an answer that must be a success."""
        status, value = (self.insist if insists else self.call)(method, path, body)
        if status >= 300:
            raise Problem(f"{self.user}: {method} {path} was answered with {status}: {str(value)[:300]}")
        return value

    def command(self, **command):
        """The answer to a command; waits as long as a limit asks for."""
        while True:
            _, answer = self.call("POST", "/v1/commands", {"id": 1, **command})
            if answer.get("code") != "rate-limited":
                return answer
            time.sleep(answer["retryAfterMs"] / 1000)

    def ok(self, **command):
        """The `ok` of a command."""
        answer = self.command(**command)
        if "ok" not in answer:
            raise Problem(f"{self.user}: {command}: {answer}")
        return answer["ok"]
