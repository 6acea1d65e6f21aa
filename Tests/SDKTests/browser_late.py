"""A page in Chromium whose part for writes cannot be loaded, without a network and with one: what it writes leaves once, in order."""

import time

from Trials.server import Caller


class Late:
    """suite: the suite in Chromium, with its server and pages; files: the handler of its files, which can miss some."""

    def __init__(self, suite, files):
        self.suite, self.files = suite, files

    def run(self):
        Caller(self.suite.server, "bob").command(type="send", to="alice", text="before", key="late")
        self.files.missing.add("/watchwise-writes.js")
        self.page = page = self.suite.tab(beside=None)
        try:
            self.suite.start(page)
            for sentence, work in {
                    "without the part for writes a page reads, and what it writes is on the disk at once": self.without,
                    "a reload without a network and without the part reads what was there, and knows what waits": self.away,
                    "when both are back, each write leaves once and in order, and lists show it": self.back,
                    "the page saw no error but that of the file": self.errors}.items():
                self.suite.check(sentence, work)
        finally:
            self.files.missing.clear()
            self.suite.close(page)

    def write(self, *texts):
        return self.page.evaluate(f"Promise.all({list(texts)}.map(text => ww.chat('alice:bob').send(text).kept)).then(all => all.map(({{ durable }}) => durable))")

    def network(self, is_there):
        self.page.call("Network.emulateNetworkConditions", offline=not is_there, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        if is_there:
            self.suite.server.start()
        else:
            self.suite.server.kill()

    def without(self):
        self.page.wait_for("ww.state.name === 'live' && seen.complete")
        self.suite.equal(self.write("late 1", "late 2"), [True, True])
        self.page.wait_for("ww.outbox.list().map(({ state }) => state).join() === 'queued,queued'")
        self.page.wait_for("seen.storage.some(({ state, reason }) => state === 'failing' && reason === 'not-loaded')")
        self.suite.equal(self.page.evaluate("[ww.core.writing.here, texts().filter(text => text.startsWith('late'))]"), [None, []])
        assert "late 1" not in self.suite.texts()

    def away(self):
        self.page.call("Page.navigate", url=f"{self.suite.origin}/page?away")
        self.page.wait_for("location.search === '?away' && typeof start === 'function'")
        self.network(False)
        self.suite.start(self.page)
        self.suite.equal(self.write("late 3", "late 4"), [True, True])
        self.page.wait_for("seen.items?.length > 0 && ww.outbox.list().length === 4 && navigator.onLine === false")
        self.suite.equal(self.page.evaluate("ww.chat('alice:bob').send('taken back').cancel().catch(({ code }) => code)"), "not-loaded")

    def back(self):
        self.files.missing.clear()
        self.network(True)
        self.page.wait_for("ww.outbox.list().length === 0 && ww.state.name === 'live'", seconds=40)
        wanted = ["late 1", "late 2", "late 3", "late 4", "taken back"]  # which came too late
        self.suite.equal(self.suite.texts()[-5:], wanted)
        self.page.wait_for(f"texts().slice(-5).join() === '{','.join(wanted)}'")
        time.sleep(0.5)
        self.suite.equal([text for text in self.suite.texts() if text in wanted], wanted)

    def errors(self):
        self.suite.equal([error for error in self.page.errors if "404" not in str(error) and "ERR_" not in str(error)], [])
