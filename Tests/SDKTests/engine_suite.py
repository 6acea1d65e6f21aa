"""The same checks in each engine: the store, several tabs, blocked WebSockets, a leader that is closed, a server that is away, and
no database.

    engine_suite.py BINARY chromium|firefox|webkit
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / name) for name in (".",))
from blocking import BlockingProxy
from engines import ENGINES, PageError
from pages import Pages
from Trials import verdict
from Trials.server import Caller, Server

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

CHAT = "alice:bob"
SCRIPT = """<!doctype html><meta charset="utf-8"><title>sdk</title><script type="module">
import { WatchWise } from "/sdk/watchwise.js";
Object.assign(window, { seen: { states: [], storage: [] }, heard: [], errors: [] });
addEventListener("error", event => errors.push(event.message));
addEventListener("unhandledrejection", event => errors.push(String(event.reason)));
const { server, token } = await (await fetch("/settings" + location.search)).json();
window.ww = await WatchWise.open({ server, user: "alice", token: async () => token });
ww.on("state", state => seen.states.push(state.name));
ww.on("storage", event => seen.storage.push(event));
ww.on("message", ({ text }) => heard.push(text));
ww.chat("alice:bob").watch(snapshot => Object.assign(seen, { items: snapshot.items, complete: snapshot.complete }), { limit: 1000 });
window.texts = () => (seen.items ?? []).map(item => item.text + (item.pending ? ":" + item.pending : ""));
window.isReady = true;
</script>"""
STORE = """Promise.all([import('/Tests/SDKTests/store-suite.mjs'), import('/Sources/Device/WebLibrary/Files/store-indexeddb.js')])
    .then(async ([{ runSuite }, { IndexedDBStore }]) => {
        let count = 0;
        const results = await runSuite(() => new IndexedDBStore(`store-${++count}`).open(), async store => { await store.close(); return new IndexedDBStore(`store-${count}`).open(); });
        return results.filter(([, problem]) => problem !== null).concat([["count", results.length]]);
    })"""


class Suite:
    def __init__(self, binary, folder, engine):
        self.checks = verdict.Tap()
        subprocess.run([binary, "sdk", f"{folder}/sdk"], check=True, stdout=subprocess.DEVNULL)
        self.pages = Pages(pathlib.Path(folder, "sdk"), ROOT)
        self.pages.add("/page", SCRIPT, "text/html")
        self.pages.add("/empty", "<!doctype html><title>another page</title>", "text/html")
        self.pages.routes["/settings"] = lambda query: (json.dumps(
            {"server": f"http://127.0.0.1:{(self.proxy if query == 'blocked' else self.server).port}", "token": self.server.token("alice")}),
            "application/json")
        config = pathlib.Path(folder, "config.json")
        config.write_text(json.dumps({"origins": [self.pages.origin], "rules": {"users/{user}/tasks/{task}": "owner"}}))
        self.server = Server(binary, f"{folder}/data", "--config", str(config))
        self.server.start()
        self.proxy = BlockingProxy(self.server.port)
        for one, other in (("alice", "bob"), ("bob", "alice")):
            Caller(self.server, one).command(type="follow", topic=f"user:{other}")
        self.engine = engine
        self.tabs = []

    def check(self, sentence, work):
        self.checks.tries(sentence, work, PageError, KeyError, AttributeError, StopIteration, IndexError, RuntimeError)

    @staticmethod
    def equal(got, wanted):
        assert got == wanted, f"got {got!r}, wanted {wanted!r}"

    def open(self):
        tab = self.engine.tab(f"{self.pages.origin}/page")
        tab.wait_for("window.isReady === true")
        return tab

    def texts(self):
        answer = Caller(self.server, "bob").command(type="history", chat=CHAT, limit=200)
        return [message["text"] for message in answer["ok"]["messages"]] if "ok" in answer else []

    def one_session(self):
        deadline = time.monotonic() + 5
        while (sessions := self.server.metric("sessions")) != 1:
            assert time.monotonic() < deadline, f"{sessions} sessions"
            time.sleep(0.1)

    def store(self):
        tab = self.engine.tab(f"{self.pages.origin}/empty")
        problems = tab.evaluate(STORE)
        self.equal(problems, [["count", problems[-1][1]]])
        assert problems[-1][1] >= 11, problems
        tab.close()

    def live(self):
        self.tabs = [self.open()]
        self.tabs[0].wait_for("ww.state.name === 'live' && seen.complete")
        self.tabs[0].evaluate("ww.chat({ with: 'bob' }).send('ciao').done.then(() => 0)")
        self.tabs[0].wait_for("texts().join() === 'ciao'")
        bob = Caller(self.server, "bob")
        bob.command(type="send", to="alice", text="ciao ciao", key="b1")
        self.tabs[0].wait_for("texts().at(-1) === 'ciao ciao'")

    def together(self):
        self.tabs += [self.open() for _ in range(3)]
        for tab in self.tabs:
            tab.wait_for("ww.state.name === 'live' && seen.complete && seen.items.length === 2")
        self.one_session()
        self.equal(sum(tab.evaluate("ww.core.tabs.isLeader") for tab in self.tabs), 1)
        self.tabs[3].evaluate("ww.chat('alice:bob').send('from the fourth').done.then(() => 0)")
        for tab in self.tabs:
            tab.wait_for("texts().at(-1) === 'from the fourth' && seen.items.at(-1).n === 3")
            self.equal(tab.evaluate("heard.filter(text => text === 'from the fourth').length"), 1)

    def order(self):
        for tab, name in zip(self.tabs, "abcd"):
            tab.evaluate(f"(window.many = Array.from({{ length: 15 }}, (_, i) => ww.chat('alice:bob').send('{name}' + i))), 0")
        for tab in self.tabs:
            tab.evaluate("Promise.all(many.map(write => write.done)).then(() => 0)")
        for name in "abcd":
            self.equal([text for text in self.texts() if text[0] == name and text[1:].isdigit()], [f"{name}{i}" for i in range(15)])

    def documents(self):
        tab = self.tabs[2]
        tab.evaluate("ww.collection('users/alice/tasks').watch(told => Object.assign(seen, { tasks: told.items, whole: told.complete })), 0")
        tab.wait_for("seen.whole === true")
        self.tabs[1].evaluate("ww.doc('users/alice/tasks/1').put({ a: 1 }).done.then(() => 0)")
        tab.wait_for("seen.tasks[0]?.version === 1")
        tab.evaluate("ww.doc('users/alice/tasks/1').patch({ b: 2 }).done.then(() => 0)")
        tab.wait_for("seen.tasks[0].data.b === 2 && !seen.tasks[0].pending")

    def blocked(self):
        tab = self.engine.tab(f"{self.pages.origin}/page?blocked")
        tab.wait_for("window.isReady === true")
        tab.wait_for("ww.state.name === 'live' && seen.complete", seconds=30)
        assert self.proxy.refused >= 2, self.proxy.refused
        tab.evaluate("ww.collection('users/alice/tasks').watch(told => Object.assign(seen, { tasks: told.items, whole: told.complete })), 0")
        tab.wait_for("seen.whole === true && seen.tasks[0].data.b === 2")
        phone = Caller(self.server, "alice")
        for kind, n, more in (("put", 2, {"data": {"a": 2}}), ("remove", 1, {})):
            answer = phone.command(type=kind, path=f"users/alice/tasks/{n}", key=f"blocked-{n}", **more)
            assert "ok" in answer, answer
        tab.wait_for("seen.tasks.length === 1 && seen.tasks[0].path.endsWith('/2')")
        tab.evaluate("ww.doc('users/alice/tasks/2').patch({ b: 3 }).done.then(() => 0)")
        tab.wait_for("seen.tasks[0].data.b === 3 && !seen.tasks[0].pending")
        self.equal(tab.evaluate("errors"), [])
        tab.close()

    def leader_closed(self):
        leader = next(tab for tab in self.tabs if tab.evaluate("ww.core.tabs.isLeader"))
        self.tabs.remove(leader)
        leader.evaluate("Promise.all([1, 2].map(n => ww.chat('alice:bob').send('last' + n).kept)).then(() => 0)")
        leader.close()
        self.tabs[0].evaluate("ww.chat('alice:bob').send('after').done.then(() => 0)")
        self.equal(self.texts()[-3:], ["last1", "last2", "after"])
        self.one_session()

    def away(self):
        for tab in self.tabs[1:]:
            tab.close()
        tab = self.tabs[0]
        tab.wait_for("ww.state.name === 'live' && seen.complete")
        count = tab.evaluate("seen.items.length")
        self.server.kill()
        tab.wait_for("ww.state.name !== 'live'")
        tab.evaluate("Promise.all([1, 2, 3].map(n => ww.chat('alice:bob').send('kept' + n).kept)).then(() => 0)")
        tab.go(f"{self.pages.origin}/page?again")
        tab.wait_for(f"window.isReady === true && seen.items?.length === {count + 3}")
        self.equal(tab.evaluate("texts().slice(-3).join()"), "kept1:queued,kept2:queued,kept3:queued")
        self.server.start()
        tab.wait_for("ww.outbox.list().length === 0 && ww.state.name === 'live'", seconds=40)
        self.equal(self.texts()[-3:], ["kept1", "kept2", "kept3"])

    def late(self):
        tab = self.tabs[0]
        self.pages.missing.add("/sdk/watchwise-writes.js")
        tab.go(f"{self.pages.origin}/page?late")
        tab.wait_for("location.search === '?late' && window.isReady === true && ww.state.name === 'live' && seen.complete")
        self.equal(tab.evaluate("ww.chat('alice:bob').send('late').kept"), {"durable": True})
        tab.wait_for("seen.storage.some(({ reason }) => reason === 'not-loaded') && ww.outbox.list().length === 1 && texts().at(-1) !== 'late'")
        self.pages.missing.clear()
        # Firefox asks for a module once.
        if tab.engine.name == "Firefox":
            tab.go(f"{self.pages.origin}/page?again")
        tab.wait_for("window.isReady === true && ww.outbox.list().length === 0 && seen.items?.at(-1).text === 'late' && !seen.items.at(-1).pending", seconds=20)
        self.equal(self.texts().count("late"), 1)
        tab.evaluate("seen.storage.length = 0")

    def signed_out(self):
        one, two = self.open(), self.open()
        pages = [self.tabs[0], two]
        for page in [one, *pages]:
            page.wait_for("ww.state.name === 'live' && seen.items?.length > 0")
        one.evaluate("ww.signOut({ force: true }).then(() => 0)")
        for page in pages:
            page.wait_for("ww.state.name === 'signed-out' && seen.items.length === 0")
            self.equal(page.evaluate("[seen.storage.filter(({ state }) => state !== 'memory'), errors]"), [[], []])
        self.equal(two.evaluate("indexedDB.databases().then(all => all.filter(({ name }) => name === ww.core.name))"), [])
        two.wait_for("localStorage.getItem('watchwise:' + ww.core.options.server) === null")
        for page in [one, *pages]:
            page.close()
        self.tabs = [self.open()]
        self.tabs[0].wait_for("ww.state.name === 'live' && seen.complete")

    def put_away(self):
        tab = self.tabs[0]
        tab.wait_for("ww.core.tabs.isLeader")
        tab.evaluate("(addEventListener('pageshow', event => (window.wasKept = event.persisted)), 0)")
        tab.go(f"{self.pages.origin}/page?elsewhere")
        tab.wait_for("window.isReady === true && ww.core.tabs.isLeader", seconds=20)
        tab.evaluate("ww.chat('alice:bob').send('while it was away').done.then(() => 0)")
        tab.wait_for("seen.complete && texts().at(-1) === 'while it was away'")
        tab.evaluate("(setTimeout(() => history.back()), 0)")
        tab.wait_for("!location.search.includes('elsewhere') && window.isReady === true")
        tab.wait_for("ww.state.name === 'live' && ww.core.tabs.isLeader && texts().at(-1) === 'while it was away'", seconds=20)
        print(f"# put away and back: the page was {'kept' if tab.evaluate('window.wasKept === true') else 'loaded again'}", flush=True)
        tab.evaluate("ww.chat('alice:bob').send('back again').done.then(() => 0)")
        self.one_session()

    def taken(self):
        tab = self.tabs[0]
        tab.evaluate("""new Promise((resolve, reject) => {
            const request = indexedDB.deleteDatabase(ww.core.name);
            Object.assign(request, { onsuccess: resolve, onerror: reject });
        }).then(() => 0)""")
        tab.wait_for("seen.storage[0]?.state === 'memory'")
        tab.evaluate("ww.chat('alice:bob').send('without a database').done.then(() => 0)")
        tab.wait_for("texts().at(-1) === 'without a database'")

    def elements(self):
        """Another device of Alice's, for the elements have a name of their own for their store."""
        self.pages.add("/token", self.server.token("alice"), "text/plain")
        about = f'server="{self.server.url}/" token="/token"'
        self.pages.add("/elements", f'<!doctype html><meta charset="utf-8"><title>elements</title><script type="module" src="{self.server.url}/v1/sdk/watchwise-elements.js"></script>'
                       f'<watchwise-inbox {about}></watchwise-inbox><watchwise-chat {about} with="bob"></watchwise-chat>', "text/html")
        tab = self.engine.tab(f"{self.pages.origin}/elements")
        inbox, chat = ("document.querySelector('watchwise-inbox').shadowRoot", "document.querySelector('watchwise-chat').shadowRoot")
        tab.wait_for(f"document.querySelector('watchwise-inbox').state?.name === 'live' && {chat}?.querySelector('textarea') !== null")
        Caller(self.server, "operator", "admin").ask("POST", "/v1/broadcasts", {"audience": "user:alice", "title": "In each engine"})
        tab.wait_for(f"Number({inbox}.querySelector('.count')?.textContent) > 0")
        tab.evaluate(f"{inbox}.querySelector('.bell').click(), 0")
        tab.wait_for(f"{inbox}.querySelector('.panel').matches(':popover-open') && {inbox}.querySelector('.note .open').textContent === 'In each engine' && {inbox}.activeElement?.className === 'panel'")
        box = tab.evaluate(f"(({{ left, right, top, bottom }}) => [left >= 0, right <= innerWidth, top >= 0, bottom <= innerHeight])({inbox}.querySelector('.panel').getBoundingClientRect())")
        self.equal(box, [True] * 4)
        tab.evaluate("document.querySelector('watchwise-inbox').hide(), 0")
        tab.wait_for(f"!{inbox}.querySelector('.panel').matches(':popover-open') && {inbox}.activeElement?.className === 'icon bell'")
        tab.evaluate(f"(field => {{ field.value = 'by an element'; field.form.requestSubmit() }})({chat}.querySelector('textarea')), 0")
        tab.wait_for(f"[...{chat}.querySelectorAll('.message.mine .text')].at(-1)?.textContent === 'by an element' && {chat}.querySelector('.message:last-child').classList.contains('sent')")
        scroller = f"{chat}.querySelector('.scroller')"
        tab.wait_for(f"{scroller}.scrollHeight - {scroller}.scrollTop - {scroller}.clientHeight < 2")
        tab.close()

    def run(self):
        try:
            for sentence, work in (
                    ("the store keeps what stores keep", self.store), ("a page writes and reads", self.live),
                    ("four tabs: one connection, and each hears each event once", self.together),
                    ("all write at once: each once, in its order", self.order), ("documents are watched through the leader", self.documents),
                    ("where WebSocket is blocked, documents are watched over a stream", self.blocked),
                    ("the leader is closed: another goes on, and what was kept goes first", self.leader_closed),
                    ("a reload without a server shows what was there and what waits; it arrives once", self.away),
                    ("without the part for writes a page reads and keeps what is written, which leaves once when the part is here", self.late),
                    ("signing out in one tab ends the others, which show nothing any more", self.signed_out),
                    ("a page is put away for the way back, and comes back: it leads again", self.put_away),
                    ("the database is taken away: it goes on in memory, and says so", self.taken)):
                self.check(sentence, work)
            self.check("the elements show a bell that opens, and a chat that sends", self.elements)
            self.check("the page saw no error", lambda: self.equal(self.tabs[0].evaluate("errors"), []))
        finally:
            self.engine.close()
            self.proxy.close()
            Server.end_all()
            self.pages.close()
        self.checks.last_line()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="watchwise-sdk-engine-") as folder:
        Suite(os.path.abspath(sys.argv[1]), folder, ENGINES[sys.argv[2]]()).run()
