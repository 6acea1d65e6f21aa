"""A server in a folder of its own, for the checks of this folder."""

import json
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request


class Server:
    """Runs `watchwise serve` from its making until `stop`."""

    def __init__(self, binary, *options, settings=None):
        self.binary = binary
        self.folder = tempfile.mkdtemp(prefix="contract-")
        self.data = self.folder + "/data"
        self.log = pathlib.Path(self.folder, "log")
        if settings:
            file = pathlib.Path(self.folder, "watchwise.json")
            file.write_text(json.dumps(settings))
            options += ("--config", str(file))
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [binary, "serve", "--listen", "127.0.0.1:0", "--data", self.data, "--log-level", "error", *options],
                stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"listening on \S*?:(\d+)$", line)
        if not found:
            raise RuntimeError(f"the server said {line!r} {self.log.read_text()!r}")
        self.port = int(found[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def token(self, scope):
        """A token of an operator, who is also a user: the requests include commands."""
        # No name that a check could make up, and revoke.
        return self._token("operator-" + secrets.token_hex(4), "--scope", scope, "--scope", "user")

    def user_token(self, user, ttl="24h"):
        return self._token(user, "--ttl", ttl)

    def _token(self, *arguments):
        return subprocess.run(
            [self.binary, "token", *arguments, "--data", self.data],
            check=True, capture_output=True, text=True).stdout.strip()

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as answer:
            return answer.read()

    def ask(self, token, method, path, body=None):
        """Asks the HTTP API, and returns the status and the answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Authorization": "Bearer " + token, "Content-Type": "application/json"},
            method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        return status, json.loads(text) if text else None

    def stop(self, read_log=None):
        """Ends the server, and says whether it lived until then and ended well. `read_log` gets the lines of errors."""
        lived = self.process.poll() is None
        if lived:
            self.process.send_signal(signal.SIGTERM)
        ended = self.process.wait(timeout=60)
        if read_log:
            read_log(self.log.read_text())
        shutil.rmtree(self.folder)
        return lived and ended == 0
