"""An adversary with a normal token that causes one cost at full rate, and the effect on others.

The trials are in `costs.py`, `corners.py` and `people.py`; those that need no token are in `strangers.py`. Each has a
server of its own on a new folder, with the rules and triggers of a film network. Pairs of people chat (`bystanders.py`); then the adversary begins, from one address with one user's
token, and in a second round from a hundred addresses with the tokens of a hundred users. A trial passes when

- 99 of a hundred writes of the others are answered within 250 ms;
- the server's memory grows by at most 64 MiB at its peak, and is within that at the latest ten seconds after the end;
  where an attack makes rows that the server holds in memory while their users are connected, its trial allows some
  bytes more for each row;
- its folder grows by no more than the trial allows;
- no message of the others is lost or repeated, and the server lives and stops at SIGTERM.

The server and the others get a higher priority than the adversary, where this is allowed: a real adversary has a
machine of its own. The table shows the waits of the others without and with an attack; if they are more than 100 ms
without one, the bound of 250 ms grows in proportion, and the table says so. A trial that fails is repeated once.
"""

import asyncio
import collections
import http.client
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import socket
import sqlite3
import ssl
import subprocess
import tempfile
import threading
import time
import traceback

from bystanders import Bystanders, preferred
from figures import CONTROL_MAX, DEBUG_FACTOR, HEADER, MEMORY_MAX, WAIT_MAX, judge, line
from house import House
from Trials.device import upgrade

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The messages of a session that only stays connected.
WAIT = b""
CODE = re.compile(rb'"code":"([a-z-]+)"')


# The part of each large size that a short run uses: a debug build is tens of times slower for the same bytes.
scale = 1


def scaled(size):
    """A size in this run."""
    return max(1, size // scale)


def shot(payload):
    """A text frame, masked with zeros, so that fast sending needs no arithmetic."""
    size = len(payload)
    if size < 126:
        return bytes([0x81, 0x80 | size, 0, 0, 0, 0]) + payload
    if size < 1 << 16:
        return b"\x81\xfe" + size.to_bytes(2, "big") + b"\0\0\0\0" + payload
    return b"\x81\xff" + size.to_bytes(8, "big") + b"\0\0\0\0" + payload


class Gun(asyncio.Protocol):
    """A session that always has a number of unanswered commands, and sends more as fast as they are answered."""

    def __init__(self, field, token, commands, window=1, name="", hello=None, isDeaf=False, isDeafAtOnce=False):
        """
        - commands: makes the next one from the session and the number of those before; None is the end.
        - isDeaf: nothing is read when the session is live, so that nobody knows how many are under way.
        - isDeafAtOnce: nothing is ever read.
        """
        self.field, self.token, self.commands, self.window, self.name = field, token, commands, window, name
        self.hello, self.isDeaf, self.isDeafAtOnce = hello, isDeaf, isDeafAtOnce
        self.head, self.tail = b"", b""
        self.isLive = self.isBlocked = self.isSpent = False
        self.sent = self.answered = 0
        # Nothing is sent before this time: a preparation waits as long as the server demands.
        self.restsUntil = 0
        self.over = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport.set_write_buffer_limits(high=1 << 20)
        hello = {"id": "h", "type": "hello", "token": self.token, "device": self.name, **(self.hello or {})}
        transport.write(upgrade() + shot(json.dumps(hello).encode()))
        if self.isDeafAtOnce:
            transport.pause_reading()

    def data_received(self, data):
        if not self.isLive:
            self.head += data
            if b'"type":"live"' in self.head:
                self.isLive = True
                self.field.told["live"] += 1
                if self.isDeaf:
                    self.transport.pause_reading()
                self.fire()
            elif b'"error"' in self.head or b"HTTP/1.1 4" in self.head or b"HTTP/1.1 5" in self.head:
                code = CODE.search(self.head)
                self.field.told[code[1].decode() if code else "refused"] += 1
                self.transport.abort()
            return
        count = data.count(b'"re":') + (self.tail + data[:4]).count(b'"re":')
        self.tail = data[-4:]
        self.answered += count
        self.field.told["answers"] += count
        if b'"error"' in data:
            for code in CODE.findall(data):
                self.field.told[code.decode()] += 1
            self.refused(data)
        self.fire()

    def refused(self, data):
        """An adversary does not care."""

    def fire(self):
        if self.transport.is_closing() or time.monotonic() < self.restsUntil:
            return
        volley = []
        size = 0
        while not self.isBlocked and not self.isSpent and size < 1 << 17 and (
                self.isDeaf or self.sent - self.answered < self.window):
            command = self.commands(self, self.sent)
            if command is WAIT:
                break
            if command is None:
                self.isSpent = True
                break
            self.sent += 1
            frame = shot(b'{"id":%d,' % self.sent + command)
            size += len(frame)
            volley.append(frame)
        if volley:
            self.transport.write(b"".join(volley))
        if self.isSpent and self.answered >= self.sent:
            self.transport.abort()
        elif self.isDeaf and not self.isBlocked and not self.isSpent:
            asyncio.get_running_loop().call_later(0.01, self.fire)

    def pause_writing(self):
        self.isBlocked = True

    def resume_writing(self):
        self.isBlocked = False
        self.fire()

    def connection_lost(self, problem):
        if not self.over.done():
            self.over.set_result(None)


class PatientGun(Gun):
    """A session that sends all its commands within the bounds of the pace: for preparations."""

    LATER = re.compile(rb'"re":(\d+),"error":{"code":"(?:rate-limited|unavailable)"')

    def __init__(self, field, token, commands, window, name):
        super().__init__(field, token, self.next, window, name)
        self.left = collections.deque(commands)
        self.underWay = {}

    def next(self, gun, sent):
        if not self.left:
            return WAIT if self.answered < self.sent else None
        self.underWay[sent + 1] = self.left.popleft()
        return self.underWay[sent + 1]

    def refused(self, data):
        for number in self.LATER.findall(data):
            self.left.append(self.underWay[int(number)])
            for code in ("rate-limited", "unavailable"):
                self.field.told.pop(code, None)
            self.restsUntil = time.monotonic() + 0.25
        if self.restsUntil:
            asyncio.get_running_loop().call_later(0.3, self.fire)


class Holder(asyncio.Protocol):
    """A connection that sends some bytes and then waits until it is ended."""

    def __init__(self, field, data, context=None, isDeaf=False):
        self.field, self.data, self.isDeaf = field, data, isDeaf
        self.over = asyncio.get_running_loop().create_future()
        if context:
            self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            self.encryption = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        else:
            self.encryption = None

    def connection_made(self, transport):
        self.transport = transport
        self.field.told["opened"] += 1
        if self.encryption:
            self.shake()
            return
        transport.write(self.data)
        if self.isDeaf:
            transport.pause_reading()

    def shake(self):
        """Continues the handshake; after it, all bytes of one record of 16 KiB except the last ones are sent."""
        try:
            self.encryption.do_handshake()
        except ssl.SSLWantReadError:
            self.transport.write(self.outgoing.read())
            return
        except ssl.SSLError:
            self.transport.abort()
            return
        self.encryption.write(self.data)
        self.transport.write(self.outgoing.read()[:-20])
        self.encryption = None
        self.field.told["half records"] += 1

    def data_received(self, data):
        if self.encryption:
            self.incoming.write(data)
            self.shake()
        elif data.startswith(b"HTTP/1.1 "):
            self.field.told[data[9:12].decode()] += 1

    def connection_lost(self, problem):
        if not self.over.done():
            self.over.set_result(None)


class Field:
    """The parameters of an attack: the server, the adversary's tokens, and its addresses."""

    def __init__(self, port, admin, tokens, isHundred, isQuick, seconds):
        self.port, self.admin, self.tokens = port, admin, tokens
        self.isHundred, self.isQuick, self.seconds = isHundred, isQuick, seconds
        self.sources = [f"127.0.1.{number + 1}" for number in range(100 if isHundred else 1)]
        self.told = collections.Counter()
        self.until = 0
        self.names = 0
        # The token of a second account, which gets the adversary's messages.
        self.friend = None
        # Numbers that rise with each command of an attack.
        self.steps = itertools.count(1)

    def user(self, number):
        return f"mallory{number % len(self.tokens)}"

    def size(self, one, hundred=None, quick=None):
        """A number: in all from one address, in all from a hundred, and in a short run."""
        if self.isQuick and quick is not None:
            return quick
        return hundred if self.isHundred and hundred is not None else one

    @property
    def goesOn(self):
        return time.monotonic() < self.until

    async def connect(self, number, protocol):
        loop = asyncio.get_running_loop()
        source = self.sources[number % len(self.sources)]
        try:
            _, made = await asyncio.wait_for(
                loop.create_connection(protocol, "127.0.0.1", self.port, local_addr=(source, 0)), 30)
            return made
        except (OSError, TimeoutError):
            self.told["no connection"] += 1
            return None

    async def gun(self, number, commands, window=200, token=None, **options):
        """One session, until it has ended; then it is ended on this side, too."""
        self.names += 1
        name = f"gun{self.names}"
        made = await self.connect(number, lambda: Gun(
            self, token or self.tokens[number % len(self.tokens)], commands, window, name, **options))
        if made:
            try:
                await made.over
            finally:
                made.transport.abort()

    async def fire(self, count, commands, **options):
        """Sessions that send commands until the time is over; one that is ended comes back at once."""
        async def one(number):
            while self.goesOn:
                try:
                    async with asyncio.timeout(max(0, self.until - time.monotonic())):
                        await self.gun(number, commands, **options)
                except TimeoutError:
                    return
                await asyncio.sleep(0.02)
        await asyncio.gather(*(one(number) for number in range(count)))

    async def hold(self, count, data, context=None, isDeaf=False):
        """Connections that send some bytes and wait, again when they are ended."""
        async def one(number):
            while self.goesOn:
                made = await self.connect(number, lambda: Holder(self, data(number), context, isDeaf))
                if made:
                    await asyncio.wait([made.over], timeout=max(0, self.until - time.monotonic()))
                await asyncio.sleep(0.02)
        await asyncio.gather(*(one(number) for number in range(count)))

    async def volley(self, jobs, window=200):
        """For preparations: sends commands, `(number of the user, commands)` each, within the bounds of the pace."""
        gate = asyncio.Semaphore(8)

        async def one(number, commands):
            async with gate:
                self.names += 1
                made = await self.connect(number, lambda: PatientGun(
                    self, self.tokens[number % len(self.tokens)], commands, window, f"patient{self.names}"))
                await asyncio.wait_for(made.over, 100)

        await asyncio.gather(*(
            one(number, commands[place:place + 1500])
            for number, commands in jobs for place in range(0, len(commands), 1500)))
        wrong = {code: count for code, count in self.told.items() if code not in ("live", "answers")}
        if wrong:
            print(f"    the answers to a preparation: {wrong}", flush=True)
        self.told.clear()

    def operate_many(self, requests, threads=4):
        """Requests of the operator, on a few connections."""
        statuses, wrong = [], []

        def work(part):
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
            for method, target, body, headers in part:
                connection.request(method, target, body, {"Authorization": f"Bearer {self.admin}", **headers})
                answer = connection.getresponse()
                text = answer.read()
                statuses.append(answer.status)
                if answer.status >= 300 and len(wrong) < 1:
                    wrong.append(answer.status)
                    print(f"    {method} {target} was answered {answer.status} {text[:200]}", flush=True)
            connection.close()

        workers = [threading.Thread(target=work, args=(requests[place::threads],)) for place in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return statuses


class Trial:
    """One cost, its attack, and the disk space that it may take."""

    def __init__(self, number, name, attack, prepare=None, disk=(512, 2048), rows=None, options=(), rules=None,
                 triggers=None, isEncrypted=False, inQuick=True, isDue=False, rowBytes=0):
        """
        - disk: MiB by which the folder may grow, with an attack from one address and from a hundred.
        - rows: of tables, by how many they may grow; or a function that says so of the number of users.
        - rowBytes: memory that the server needs for each of these rows while its user is connected.
        - isDue: whether what was prepared comes at its time, which does not wait.
        """
        self.number, self.name, self.attack, self.prepare = number, name, attack, prepare
        self.disk, self.rows, self.options = disk, rows or {}, options
        self.rules, self.triggers, self.isEncrypted = rules or {}, triggers or [], isEncrypted
        self.inQuick, self.isDue, self.rowBytes = inQuick, isDue, rowBytes

    def rows_max(self, table, users):
        """The allowed growth of a table in rows, for a number of adversaries."""
        most = self.rows[table]
        return most(users) if callable(most) else most


class Meter(threading.Thread):
    """The server's memory and its folder, and their peaks."""

    def __init__(self, house):
        super().__init__(daemon=True)
        self.house = house
        self.memory, self.disk = house.resident(), folder_bytes(house)
        self.isOn = True
        self.start()

    def run(self):
        while self.isOn:
            try:
                self.memory = max(self.memory, self.house.resident())
                self.disk = max(self.disk, folder_bytes(self.house))
            except (OSError, StopIteration):
                pass
            time.sleep(0.03)


def folder_bytes(house):
    return sum(entry.stat().st_size for entry in os.scandir(house.data) if entry.is_file())


# The server removes what nobody needs in steps, the first at most a second after the attack, see Housekeeping.swift.
SWEEPING_SECONDS = 4


def rows_left(house, trial, tables, users):
    """The rows that an attack has left in each table, and the tables with more than allowed, once the sweeping is over."""
    deadline = time.monotonic() + SWEEPING_SECONDS
    while True:
        grown = {table: count - tables[table] for table, count in row_counts(house, trial.rows).items()}
        tooMany = [table for table, count in grown.items() if count > trial.rows_max(table, users)]
        if not tooMany or time.monotonic() > deadline:
            return grown, tooMany
        time.sleep(0.2)


def row_counts(house, tables):
    base = sqlite3.connect(f"file:{house.folder}/data/watchwise.db?mode=ro", uri=True, timeout=10)
    try:
        return {table: base.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}
    finally:
        base.close()


class Worker:
    """The adversary's work in a process of its own, with a lower priority than the others."""

    def __init__(self, work, field):
        context = multiprocessing.get_context("fork")
        self.ours, theirs = context.Pipe(False)

        def run():
            preferred(10)
            try:
                asyncio.run(work(field))
            except Exception:
                traceback.print_exc()
            theirs.send(field.told)
            os._exit(0)

        self.process = context.Process(target=run)
        self.process.start()

    def told(self, patience):
        """The answers that it got; a process that does not end by itself is killed."""
        told = self.ours.recv() if self.ours.poll(patience) else collections.Counter({"late": 1})
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        return told


async def attack(trial, field):
    field.until = time.monotonic() + field.seconds
    try:
        async with asyncio.timeout(field.seconds + 10):
            await trial.attack(field)
    except TimeoutError:
        pass


class Town:
    """Tokens and a certificate for all trials."""

    PAIRS = 8

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(prefix="watchwise-adversary-")
        path = self.folder.name
        self.secret = f"{path}/data/secret"
        house = House(binary, "--log-level", "error")
        os.mkdir(f"{path}/data")
        pathlib.Path(self.secret).write_bytes(pathlib.Path(f"{house.data}/secret").read_bytes())
        os.chmod(self.secret, 0o600)
        names = [f"mallory{number}" for number in range(100)]
        names.append("friend")
        people = [f"{name}{number}" for number in range(self.PAIRS) for name in ("alice", "bob")]
        tokens = {name: house.token(name) for name in names + people}
        house.stop()
        self.friend = tokens[names.pop()]
        self.mallories = [tokens[name] for name in names]
        self.people = [tokens[name] for name in people]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-keyout", f"{path}/key.pem", "-out", f"{path}/certificate.pem"],
            check=True, capture_output=True)

    def house(self, binary, trial):
        """A server as an operator would run it."""
        configuration = json.loads((ROOT / "deploy/apps/film-network.json").read_text())
        configuration["rules"].update(trial.rules)
        if trial.triggers:
            rows = json.loads((ROOT / "deploy/triggers/film-network.json").read_text()) + trial.triggers
            pathlib.Path(f"{self.folder.name}/triggers.json").write_text(json.dumps(rows))
            configuration["triggers"] = [f"{self.folder.name}/triggers.json"]
        path = f"{self.folder.name}/configuration.json"
        pathlib.Path(path).write_text(json.dumps(configuration))
        encryption = ["--tls-certificate", f"{self.folder.name}/certificate.pem",
                      "--tls-key", f"{self.folder.name}/key.pem"] if trial.isEncrypted else []
        return House(binary, "--config", path, "--trusted-proxy", "none", "--log-level", "warning",
                     *encryption, *trial.options, secret=self.secret)


def run_trial(town, trial, isHundred, options):
    """One trial; returns its figures, with the broken conditions in `wrong`."""
    seconds = options.seconds or (2 if options.quick else 15)
    house = town.house(options.binary, trial)
    field = Field(house.port, house.admin, town.mallories if isHundred else town.mallories[:1], isHundred,
                  options.quick, seconds)
    field.friend = town.friend
    people = Bystanders(house, town.people, trial.isEncrypted)
    figures = {"number": trial.number, "name": trial.name, "addresses": 100 if isHundred else 1, "wrong": []}
    control = begin(trial, field, people, figures["wrong"], options)
    measure(trial, field, people, house, control, figures, options)
    judge(figures, trial, isHundred, options)
    alive = house.is_running
    code = house.stop()
    if not alive:
        figures["wrong"].append("the server died")
    elif code != 0:
        figures["wrong"].append(f"the server ended with {code} after SIGTERM; kept: {house.folder}")
    return figures


def begin(trial, field, people, wrong, options):
    """Starts the others and prepares the trial; returns since when the others were measured without an attack."""
    if not people.wait("begun", 30):
        wrong.append("the others could not begin")
    if trial.prepare:
        told = Worker(trial.prepare, field).told(120)
        if told:
            wrong.append(f"the answers to the preparation: {dict(told)}")
    time.sleep(0.2 if options.quick else 2)
    # If other programs build or test meanwhile, this waits for a quieter moment.
    for _ in range(1 if options.quick or trial.isDue else 4):
        control = time.monotonic()
        time.sleep(1 if options.quick else 5)
        if people.between(control, time.monotonic() - 0.5)[2] <= CONTROL_MAX:
            break
    return control


def measure(trial, field, people, house, control, figures, options):
    """Runs the attack, waits until all is calm, and records its cost."""
    tables = row_counts(house, trial.rows)
    before, disk, processor = house.resident(), folder_bytes(house), house.cpu_seconds()
    began = time.monotonic()
    # Before the measuring thread: a process with threads must not be forked.
    worker = Worker(lambda field: attack(trial, field), field)
    meter = Meter(house)
    told = worker.told(field.seconds + 30)
    ended = time.monotonic()
    if house.is_running:
        processor = (house.cpu_seconds() - processor) / (ended - began)
        calm(house, before, 0.5 if options.quick else 2, 0.5 if options.quick else 10)
    after = house.resident() if house.is_running else 0
    meter.isOn = False
    meter.join()
    people.finish()
    if house.is_running and trial.rows:
        grown, tooMany = rows_left(house, trial, tables, len(field.tokens))
        figures["rows"] = grown
        figures["wrong"] += [f"{grown[table]} rows more in {table}" for table in tooMany]
    figures.update({
        "control": people.between(control, began), "ok": people.between(began, ended),
        "delivery": people.between(began, ended, "delivery"), "read": people.between(began, ended, "read"),
        "memory": [before, meter.memory, after], "processor": processor, "disk": meter.disk - disk,
        "told": dict(told.most_common(8)), "refusals": dict(people.refusals().most_common(4)),
        **{kind: people.count(kind) for kind in ("refused", "failed", "lost", "unanswered", "doubled", "breaks")}})


def calm(house, before, least, most):
    """Waits some seconds for the server to be calm: until its memory is within the bound, but not longer than `most`."""
    began = time.monotonic()
    time.sleep(least)
    while house.is_running and time.monotonic() - began < most and house.resident() - before > MEMORY_MAX:
        time.sleep(0.2)


def tell(figures, word, options):
    print(line(figures), flush=True)
    if figures["limit"] > WAIT_MAX * (DEBUG_FACTOR if options.quick else 1):
        print(f"     the machine is busy: the bound was {figures['limit']:.0f} ms", flush=True)
    for what, count in figures["refusals"].items():
        print(f"     others were refused {count} times: {what}", flush=True)
    for problem in figures["wrong"]:
        print(f"     {word}: {problem}", flush=True)


def run_trials(options):
    """All trials, each from one address and from a hundred; only from one in a short run."""
    global scale  # noqa: PLW0603
    scale = 10 if options.quick else 1
    # Their content is made in that size.
    import corners
    import costs
    import people
    import strangers
    preferred(-10)
    town = Town(options.binary)
    passed = failed = 0
    found = []
    print(f"\n{HEADER}", flush=True)
    for trial in costs.TRIALS + corners.TRIALS + people.TRIALS + strangers.TRIALS:
        words = options.only or []
        if words and not any(word in f"{trial.number} {trial.name}" for word in words):
            continue
        if options.quick and not trial.inQuick and not words:
            continue
        for isHundred in ((False,) if options.quick else options.addresses or (False, True)):
            for isLast in (options.once, True):
                figures = run_trial(town, trial, isHundred, options)
                found.append(figures)
                tell(figures, "FAILED" if isLast else "once more, since", options)
                if options.figures:
                    pathlib.Path(options.figures).write_text(json.dumps(found, indent=1))
                if isLast or not figures["wrong"]:
                    break
            passed, failed = passed + (not figures["wrong"]), failed + bool(figures["wrong"])
    town.folder.cleanup()
    return passed, failed
