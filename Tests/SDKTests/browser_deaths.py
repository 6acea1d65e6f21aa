"""Chromium ends by SIGKILL while a page writes, and deletes its databases afterwards: what was kept arrives once, in order."""

import pathlib
import shutil
import struct
import tempfile
import time

from browser import Browser, PageError
from Trials.server import Caller

# A kill between the two halves of a write leaves this much of a record at the end of a log: a checksum, a length of 64
# bytes, and the type of a whole record (the log format of LevelDB).
CUT_RECORD = struct.pack("<IHB", 0x5EED5EED, 64, 1)


class Deaths:
    """suite: the suite in Chromium, with its server and pages; is_whole: 100 kills instead of 3."""

    def __init__(self, suite, is_whole):
        self.suite = suite
        self.rounds = 100 if is_whole else 3
        self.profile = tempfile.mkdtemp(prefix="watchwise-browser-")

    def run(self):
        checks = {
            "Chromium is killed while a page writes: what was kept arrives once, in order": self.killed,
            "Chromium is killed in the middle of a record, and deletes the database: what waits is there": self.cut,
            "the database is gone: what waits comes back from the copy, and what was done or taken back does not": self.deleted,
            "the copy is gone: it is made again from the database": self.without_copy,
            "both are gone after a sign-out, and nothing comes back": self.signed_out,
            "a sign-out deletes a copy that could not be opened": self.signed_out_without_copy,
        }
        try:
            for sentence, work in checks.items():
                self.suite.check(sentence, work)
                self.kill()
        finally:
            shutil.rmtree(self.profile, ignore_errors=True)

    # Browsers

    def begin(self, more="{}"):
        """A page of a browser on the profile; on a busy machine it may need a second try."""
        for attempt in range(3):
            for lock in pathlib.Path(self.profile).glob("Singleton*"):
                lock.unlink()
            self.browser = Browser(self.profile)
            try:
                return self.suite.start(self.suite.tab(context="own", browser=self.browser), user="killed", more=more)
            except PageError:
                self.kill()
                if attempt == 2:
                    raise

    def kill(self):
        self.browser.process.kill()
        self.browser.process.wait()

    def send(self, page, *texts):
        """Sends to the chat of this test; each is kept afterwards."""
        writes = ", ".join(f"window['{text}'] = ww.chat({{ with: 'bob' }}).send('{text}')" for text in texts)
        page.evaluate(f"Promise.all([{writes}].map(write => write.kept)).then(() => 0)")

    @staticmethod
    def waiting(page):
        return page.evaluate("ww.outbox.list().map(({ command }) => command.text)")

    # What is on the disk

    def databases(self):
        """The folder of the pages' databases, and that of their copies."""
        places = ("Default/IndexedDB/http_127*.leveldb", "Default/WebStorage/*/IndexedDB/*.leveldb")
        found = [list(pathlib.Path(self.profile).glob(place)) for place in places]
        assert all(len(folders) == 1 for folders in found), f"the folders of databases are {found}"
        return found[0][0], found[1][0]

    @staticmethod
    def log_of(database):
        """The log to which a database writes: the newest."""
        return max(database.glob("*.log"))

    def is_kept(self, page):
        """Whether the database is still the one in which `mark` wrote."""
        return page.evaluate("ww.core.store.get('meta', 'mark').then(row => row !== null)")

    @staticmethod
    def mark(page):
        page.evaluate("ww.core.store.write([{ put: ['meta', { name: 'mark', value: 1 }] }], { durable: true }).then(() => 0)")

    # Checks

    def killed(self):
        suite, rounds = self.suite, self.rounds
        kept = suite.kept
        before = len(self.arrived())
        Caller(suite.server, "killed").command(type="follow", topic="user:bob")
        for number in range(rounds):
            page = self.begin()
            page.evaluate(f"""(async () => {{
                for (let index = 0; ; index++) {{
                    while (ww.outbox.list().length > 500) await new Promise(resolve => setTimeout(resolve, 20));  // it holds 1,000
                    const text = `{number}.${{index}}`;
                    ww.chat({{ with: "bob" }}).send(text).kept.then(({{ durable }}) => durable && fetch(`/kept?${{text}}`));
                    await new Promise(resolve => setTimeout(resolve, 3));
                }}
            }})(), 0""")
            # However slow the machine is, something is kept in each round.
            deadline = time.monotonic() + 30
            while not any(text.startswith(f"{number}.") for text in kept) and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(number % 7 / 20)
            self.kill()
        page = self.begin()
        page.wait_for("ww.state.name === 'live' && ww.outbox.list().length === 0", seconds=120)
        there = self.arrived()[before:]
        suite.equal(len(set(there)), len(there))
        suite.equal([text for text in kept if text and text not in set(there)], [])
        suite.equal(there, sorted(there, key=lambda text: tuple(map(int, text.split(".")))))
        assert len(kept) >= rounds, kept
        print(f"# {rounds} kills of Chromium: {len(kept)} kept writes, {len(there)} arrived", flush=True)

    def cut(self):
        """The next start reads the log as if it ended before the cut record, and writes after it; the start after that
        finds a wrong checksum."""
        page = self.begin("{ connect: false }")
        self.mark(page)
        self.send(page, "cut 1", "cut 2")
        self.kill()
        log = self.log_of(self.databases()[0])
        with open(log, "ab") as file:
            file.write(CUT_RECORD)
        page = self.begin("{ connect: false }")
        self.suite.equal(self.waiting(page), ["cut 1", "cut 2"])
        self.send(page, "cut 3")
        self.kill()
        page = self.begin("{ connect: false }")
        print(f"# Chromium {'has kept' if self.is_kept(page) else 'has deleted'} the database with the cut record", flush=True)
        self.arrives(page, ["cut 1", "cut 2", "cut 3"])

    def deleted(self):
        page = self.begin()
        self.mark(page)
        page.evaluate("ww.chat({ with: 'bob' }).send('done').done.then(() => ww.disconnect()).then(() => 0)")
        self.send(page, "deleted 1", "taken back", "deleted 2")
        self.suite.equal(page.evaluate("window['taken back'].cancel().then(() => window['taken back'].done).catch(error => error.kind)"), "cancelled")
        self.kill()
        shutil.rmtree(self.databases()[0])
        page = self.begin("{ connect: false }")
        assert not self.is_kept(page), "the database is still there"
        self.send(page, "deleted 3")
        self.arrives(page, ["deleted 1", "deleted 2", "deleted 3"])
        self.suite.equal([text for text in self.arrived() if text in ("done", "taken back")], ["done"])

    def without_copy(self):
        page = self.begin("{ connect: false }")
        self.mark(page)
        self.send(page, "copied 1")
        self.kill()
        shutil.rmtree(self.databases()[1])
        page = self.begin("{ connect: false }")
        assert self.is_kept(page), "the database is gone"
        self.send(page, "copied 2")
        self.kill()
        shutil.rmtree(self.databases()[0])
        page = self.begin("{ connect: false }")
        assert not self.is_kept(page), "the database is still there"
        self.arrives(page, ["copied 1", "copied 2"])

    def signed_out(self, more="{ connect: false }"):
        page = self.begin(more)
        self.send(page, "given up")
        page.evaluate("ww.signOut({ force: true })")
        self.suite.equal(page.evaluate("indexedDB.databases().then(all => all.length)"), 0)
        self.kill()
        page = self.begin("{ connect: false }")
        self.suite.equal(self.waiting(page), [])

    def signed_out_without_copy(self):
        page = self.begin("{ connect: false }")
        self.send(page, "given up, too")
        self.kill()
        self.signed_out('''(() => {
            const buckets = navigator.storageBuckets;
            buckets.open = async () => { delete buckets.open; throw new DOMException("no", "UnknownError"); };
            return { connect: false };
        })()''')

    def arrives(self, page, texts):
        """They wait in this order, and arrive once connected, each once."""
        self.suite.equal(self.waiting(page), texts)
        page.evaluate("ww.connect()")
        page.wait_for("ww.state.name === 'live' && ww.outbox.list().length === 0", seconds=60)
        self.suite.equal(self.arrived()[-len(texts):], texts)
        self.suite.equal([text for text in self.arrived() if text in texts], texts)

    def arrived(self):
        """All texts of the chat as the server has them."""
        bob, texts, after = Caller(self.suite.server, "bob"), [], 0
        while after is not None:
            answer = bob.command(type="history", chat="bob:killed", after=after, limit=200)
            if answer.get("code") == "not-found":
                return []
            assert "ok" in answer, answer
            texts += [message["text"] for message in answer["ok"]["messages"]]
            after = int(answer["ok"]["next"]) if "next" in answer["ok"] else None
        return texts
