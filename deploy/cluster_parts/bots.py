"""Bots that talk through the load balancer: watchwise-load replay, one play after the other."""

import json
import pathlib
import signal
import subprocess
import threading
import time


class Players:
    """Plays conversations until it is ended; each play ends with the bots' own verdict."""

    def __init__(self, binary, urls, data, dialogues, folder, limit, speed):
        self.folder = pathlib.Path(folder)
        # Devices move all the time, as people do: so a node that comes back has its share of sessions after some seconds.
        self.command = [binary, "replay", dialogues, "--data", data, "--limit", limit, "--speed", speed, "--patience", 120,
                        "--move-every", 300]
        for url in urls:
            self.command += ["--server" if url is urls[0] else "--also", url]
        self.played = self.messages = self.deliveries = self.reconnects = self.broken = 0
        self.notes, self.is_over, self.process = [], threading.Event(), None
        #: The play that is under way, and since when.
        self.number, self.began = 0, time.monotonic()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self):
        self.thread.start()

    def run(self):
        while not self.is_over.is_set():
            self.number, self.began = self.number + 1, time.monotonic()
            result, log = self.folder / "play.json", self.folder / f"play-{self.number}.log"
            result.unlink(missing_ok=True)
            with open(log, "w") as output:
                self.process = subprocess.Popen(
                    [*map(str, self.command), "--json", str(result)], stdin=subprocess.DEVNULL, stdout=output,
                    stderr=output, start_new_session=True)
                self.process.wait()
            if self.process.returncode == -signal.SIGKILL:
                return
            self.note(result, log)
            if self.process.returncode == 0:
                log.unlink()
            else:
                self.is_over.wait(1)

    def note(self, result, log):
        """Adds up one play."""
        if not result.exists():
            self.notes.append(log.read_text(errors="replace").strip()[-300:])
            self.broken += self.process.returncode not in (0, 1)
            return
        details = json.loads(result.read_text())["outcomes"][0]["details"]
        self.played += details["conversations"]
        self.messages += details["messages"] + details["recommendations"]
        self.deliveries += details["deliveries"]
        self.reconnects += details["reconnects"]
        self.broken += sum(details["broken"].values())
        self.notes += details["notes"][:5]

    def line(self):
        verdict = "nothing lost, doubled or reordered" if self.broken == 0 else f"{self.broken:,} PROMISES BROKEN"
        is_live = self.process is not None and self.process.poll() is None
        play = f"play {self.number} for {time.monotonic() - self.began:.0f} s" if is_live else "no play"
        return (f"bots      {play}; {self.played:,} conversations ended, {self.messages:,} messages, {self.deliveries:,} deliveries, "
                f"{self.reconnects:,} reconnects: {verdict}")

    def end(self, patience):
        """Lets the last play end; one that does not end in time counts as broken, since its bots wait for something."""
        self.is_over.set()
        self.thread.join(patience)
        if self.thread.is_alive() and self.process is not None:
            self.process.kill()
            self.broken += 1
            self.notes.append(f"the last play did not end within {patience} s")
        self.thread.join(5)
