"""The table that is rewritten and the prompt under it; or a script and a log."""

import os
import select
import sys
import termios
import time
import tty

from .processes import Problem

TABLE_EVERY_SECONDS = 1.0
LOG_EVERY_SECONDS = 10.0


class Console:
    """Reads orders and shows what they do, until `quit`, the end of the script, the end of the time, or a signal."""

    def __init__(self, view, orders, players, ends, options):
        self.view, self.orders, self.players, self.ends, self.options = view, orders, players, ends, options
        self.said, self.typed, self.until = [], "", None

    def run(self):
        if self.options.script:
            self.run_script()
        elif sys.stdin.isatty() and sys.stdout.isatty():
            self.run_terminal()
        else:
            self.show_until(self.options.seconds)

    def text(self):
        return self.view.text() + (f"\n{self.players.line()}" if self.players else "")

    def do(self, line):
        """Does a line; returns what is to be said, or None to quit."""
        if line in ("quit", "exit"):
            return None
        try:
            return self.text() if line == "status" else self.orders.do(line)
        except Problem as problem:
            return f"{line}: {problem}"

    # MARK: Without a terminal

    def show_until(self, seconds, is_first=True):
        """Prints the table from time to time; without a time, until a signal. A script has it once after each wait."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self.ends.is_set() and (end is None or time.monotonic() < end):
            if is_first:
                print(f"\n{self.text()}", flush=True)
            is_first = True
            rest = LOG_EVERY_SECONDS if end is None else min(LOG_EVERY_SECONDS, end - time.monotonic())
            self.ends.wait(max(0.0, rest))
        print(f"\n{self.text()}", flush=True)

    def run_script(self):
        lines = sys.stdin if self.options.script == "-" else open(self.options.script)
        for words in lines:
            line = words.split("#")[0].strip()
            if not line:
                continue
            if self.ends.is_set():
                return
            kind, _, rest = line.partition(" ")
            if kind == "wait":
                try:
                    self.show_until(float(rest), is_first=False)
                except ValueError:
                    raise Problem(f"'{line}': write a number of seconds") from None
                continue
            print(f"\n> {line}", flush=True)
            answer = self.do(line)
            if answer is None:
                return
            print(answer, flush=True)
        if self.options.seconds:
            self.show_until(self.options.seconds)

    # MARK: With a terminal

    def run_terminal(self):
        before = termios.tcgetattr(sys.stdin)
        end = None if self.options.seconds is None else time.monotonic() + self.options.seconds
        try:
            # Signals still come by Ctrl-C; keys come one by one, and are shown by us.
            tty.setcbreak(sys.stdin)
            shown = 0.0
            while not self.ends.is_set() and (end is None or time.monotonic() < end):
                if time.monotonic() - shown >= TABLE_EVERY_SECONDS:
                    self.draw()
                    shown = time.monotonic()
                if select.select([sys.stdin], [], [], 0.1)[0] and not self.read():
                    return
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
            print()

    def draw(self):
        width = os.get_terminal_size().columns
        lines = [line[:width] for line in [*self.text().splitlines(), "", *self.said[-6:], ""]]
        screen = "\x1b[H" + "".join(f"{line}\x1b[K\n" for line in lines) + f"> {self.typed}\x1b[K\x1b[J"
        sys.stdout.write(screen)
        sys.stdout.flush()

    def read(self):
        """Takes the typed keys; false to quit."""
        for key in os.read(sys.stdin.fileno(), 1024).decode(errors="ignore"):
            if key in "\r\n":
                line, self.typed = self.typed.strip(), ""
                # The table is there all the time.
                if line and line != "status":
                    answer = self.do(line)
                    if answer is None:
                        return False
                    self.said += [f"{time.strftime('%H:%M:%S')}  {one}" for one in answer.splitlines()]
            elif key in "\x7f\b":
                self.typed = self.typed[:-1]
            elif key == "\x04" and not self.typed:
                return False
            elif key.isprintable():
                self.typed += key
        self.draw()
        return True
