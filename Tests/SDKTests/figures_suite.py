"""The figures that Chromium gives; see `figures`."""

import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from browser_suite import Caller, Server, Suite  # noqa: E402

FILL = """(async () => {
    for (let at = 0; at < 10000; at += 500) await ww.core.store.write([
        ...Array.from({ length: 500 }, (_, i) => ({ put: ["messages", { chat: "alice:bob", n: at + i + 1, seq: at + i, from: "bob", at: "2026-11-21T10:00:00.123Z", text: "hello, this is a message", rev: 1 }] })),
        { put: ["chats", { chat: "alice:bob", with: "bob", unread: 0, read: 0, peerRead: 0, top: 10000, gaps: [], seq: 10000 }] }]);
})().then(() => 0)"""
FIRST = """(async () => {
    const { WatchWise } = await import("/joined.mjs");
    const started = performance.now();
    const ww = await WatchWise.open({ server: SERVER, user: "alice", token: async () => "", connect: false });
    const opened = performance.now();
    const items = await new Promise(resolve => ww.chat("alice:bob").watch(({ items }) => items.length && resolve(items)));
    const times = [performance.now() - started, opened - started, items.length];
    await ww.close();
    return times;
})()"""


def row(name, value):
    print(f"{name:66} {value}", flush=True)


def first_list(suite):
    page = suite.tab()
    address = json.dumps(f"http://127.0.0.1:{suite.server.port}")
    page.evaluate(f"WatchWise.open({{ server: {address}, user: 'alice', token: async () => '', connect: false }}).then(made => (window.ww = made, 0))")
    page.evaluate(FILL)
    page.evaluate("ww.close()")
    times = [page.evaluate(FIRST.replace("SERVER", address)) for _ in range(9)]
    whole, opened = (statistics.median(time[part] for time in times) for part in (0, 1))
    row("first list from a cache of 10,000 messages: median of 9", f"{whole:.1f} ms ({opened:.1f} ms of it `open`)")
    suite.close(page)


ONE_MORE = """(async () => {
    const made = await WatchWise.open({ server: SERVER, user: "alice", token: async () => "", connect: false, batchMs: 0 });
    while (!made.core.engine) await new Promise(resolve => setTimeout(resolve, 5));
    made.core.engine.hello = { epoch: "e", seq: 0 };
    const message = n => ({ chat: "alice:long", n, seq: n, from: "long", at: "2026-11-21T10:00:00.123Z", text: "hello, this is a message", rev: 1 });
    for (let at = 0; at < COUNT; at += 500) await made.core.store.write(Array.from({ length: 500 }, (_, i) => ({ put: ["messages", message(at + i + 1)] })));
    await made.core.store.write([{ put: ["chats", { chat: "alice:long", with: "long", unread: 0, read: 0, peerRead: 0, top: COUNT, gaps: [], seq: COUNT }] }]);
    let shown = [];
    const channel = new MessageChannel();
    const turn = () => new Promise(resolve => { channel.port1.onmessage = resolve; channel.port2.postMessage(0); });
    made.chat("alice:long").watch(({ items }) => (shown = items), { limit: Infinity });
    while (shown.length !== COUNT) await turn();
    const [whole, blocked] = [[], []];
    for (let n = COUNT + 1; n <= COUNT + 31; n++) {
        await new Promise(resolve => setTimeout(resolve, 30));
        const started = performance.now();
        let longest = 0;
        made.core.engine.report_event({ type: "message", ...message(n) });
        for (let last = started; shown.length !== n;) {
            await turn();
            longest = Math.max(longest, performance.now() - last);
            last = performance.now();
        }
        whole.push(performance.now() - started);
        blocked.push(longest);
    }
    await made.close();
    return [whole, blocked].map(times => times.sort((one, other) => one - other)[15]);
})()"""


def one_more(suite):
    address = json.dumps(f"http://127.0.0.1:{suite.server.port}")
    for count in (10_000, 100_000):
        page = suite.tab()
        whole, blocked = page.evaluate(ONE_MORE.replace("SERVER", address).replace("COUNT", str(count)))
        row(f"one message more in a list of {count:,}: median of 31", f"{whole:.1f} ms (the page stands still for {blocked:.1f} ms)")
        page.evaluate(f"indexedDB.deleteDatabase('watchwise:' + {address} + ':alice') && 0")
        suite.close(page)


def missed(suite):
    """Three devices miss the same events, and come one after the other, with 50 messages on the screen. The server sends at most
    5,000."""
    count, results = 4900, []
    pages = [suite.tab() for _ in range(3)]
    about = f"{{ server: 'http://127.0.0.1:{suite.server.port}', user: 'alice', token: async () => '{suite.server.token('alice')}' }}"
    for page in pages:
        page.evaluate(f"WatchWise.open({about}).then(made => (window.ww = made, 0))")
        page.wait_for("ww.state.name === 'live'")
        page.evaluate("ww.disconnect()")
    bob = Caller(suite.server, "bob")
    for number in range(count):
        bob.command(type="send", to="alice", text=f"missed {number}", key=os.urandom(8).hex())
    for page in pages:
        page.evaluate(f"""(window.took = (started => new Promise(resolve => {{
            ww.chat("alice:bob").watch(({{ items, complete }}) => complete && items.at(-1)?.text === "missed {count - 1}" && resolve(performance.now() - started), {{ limit: 50 }});
            ww.connect();
        }}))(performance.now()), 0)""")
        results.append(page.evaluate("took"))
        suite.close(page)
    row(f"{count:,} missed messages are stored and shown: median of 3", f"{statistics.median(results):.0f} ms")


def idle(suite):
    """How often a hidden page's script runs: its timers, counted by the page itself."""
    page = suite.tab()
    page.evaluate("""(() => {
        window.woken = 0;
        for (const name of ["setTimeout", "setInterval"]) {
            const real = window[name];
            window[name] = (work, ...more) => real((...about) => { window.woken += 1; work(...about); }, ...more);
        }
        Object.defineProperty(document, "visibilityState", { get: () => window.isHidden ? "hidden" : "visible" });
        return 0;
    })()""")
    suite.start(page)
    page.wait_for("ww.state.name === 'live' && seen.complete")
    page.evaluate("(window.isHidden = true, document.dispatchEvent(new Event('visibilitychange')), 0)")
    time.sleep(3)
    page.evaluate("(window.woken = 0)")
    time.sleep(60)
    row("timers of a hidden page in a minute", f"{page.evaluate('woken')}")
    suite.close(page)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="watchwise-sdk-figures-") as folder:
        made = Suite(os.path.abspath(sys.argv[1]), folder)
        try:
            for part in (first_list, one_more, missed, idle):
                part(made)
        finally:
            made.browser.close()
            Server.end_all()
            made.files.shutdown()
