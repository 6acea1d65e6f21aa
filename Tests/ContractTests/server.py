"""A server in a folder of its own, for the checks of this folder."""

import json
import pathlib
import secrets
import shutil
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from Trials import server


class Server(server.Server):
    """Runs `watchwise serve` from its making until `end_well`."""

    def __init__(self, binary, *options, settings=None):
        self.folder = tempfile.mkdtemp(prefix="contract-")
        if settings:
            file = pathlib.Path(self.folder, "watchwise.json")
            file.write_text(json.dumps(settings))
            options += ("--config", file)
        super().__init__(binary, f"{self.folder}/data", "--log-level", "error", *options, log=f"{self.folder}/log")
        self.start()

    def operator(self, scope):
        """A token of an operator, who is also a user: the requests include commands."""
        # No name that a check could make up, and revoke.
        return self.token("operator-" + secrets.token_hex(4), scope, "user")

    def get(self, path):
        """The bytes of an answer."""
        status, content = server.ask("127.0.0.1", self.port, path, 30)
        if status != 200:
            raise server.Problem(f"{path}: {status} {content[:300]}")
        return content

    def end_well(self, read_log=None):
        """Ends the server, and says whether it lived until then and ended well. `read_log` gets the lines of errors."""
        ended = self.stop() if self.is_running else None
        if read_log:
            read_log("\n".join(self.lines()))
        shutil.rmtree(self.folder)
        return ended == 0
