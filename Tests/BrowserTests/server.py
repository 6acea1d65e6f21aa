"""A watchwise demo as a child process: started, killed, and started again on the same port and data."""

import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from Trials.device import Session
from Trials.server import Problem, Server


class DemoServer(Server):
    COMMAND = "demo"
    READY = re.compile(r"page: (http://127\.0\.0\.1:(\d+)/demo)\s*$")

    def __init__(self, binary, data, log, *more):
        super().__init__(binary, data, *more, log=log)
        self.page = None

    def listens(self, found):
        self.page, self.port = found[1], int(found[2])

    def get(self, path, token=None):
        """The value of an answer that must be a success."""
        return self.right("GET", path, None, token)

    def right(self, *request):
        status, value = self.ask(*request, timeout=10)
        if status >= 300:
            raise Problem(f"{request[1]}: {status} {value}")
        return value

    def session(self, user):
        """The token of one of the cast."""
        return self.get(f"/demo/session?user={user}")["token"]

    def command(self, user, /, **command):
        """Sends a command as one of the cast, over HTTP; returns its `ok`."""
        return self.right("POST", "/v1/commands", command, self.session(user))["ok"]

    def administer(self, path):
        """The answer to a GET of an administrator."""
        return self.get(f"/v1/{path}", self.token("operator", "admin"))

    def connect(self, user, device):
        """A session of one of the cast on a device that is not a browser."""
        return Session.open(self.port, self.session(user), device)

    def stop(self, patience=10):
        """Ends it as an operator would; returns its exit status, also where it has ended before."""
        return super().stop(patience) if self.is_running else self.process and self.process.returncode
