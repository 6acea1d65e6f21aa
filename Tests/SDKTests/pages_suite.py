"""The samples of the documentation that need a browser: each page is one module, and prints what it says (`// →`)."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("BrowserTests", "."))
from browser import Browser, PageError
from pages import Pages
from Trials import verdict
from Trials.server import Caller, Server

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


APP = """
import {{ WatchWise }} from "/sdk/watchwise.js";
await navigator.serviceWorker.register("/keeper.js");
window.ww = await WatchWise.open({{ server: "{server}", user: "alice", token: async () => (await fetch("/token")).text() }});
ww.chat({{ with: "bob" }}).watch(({{ items }}) => (window.shown = items.map(({{ text, pending }}) => `${{text}} ${{pending}}`)));
await navigator.serviceWorker.ready;
window.isReady = true;
"""


def offline(server, pages, browser):
    """The page's own files come from its worker: the library and the part that is loaded later."""
    text = (ROOT / "Sources/Device/WebLibrary/WebLibrary.docc/Offline.md").read_text()
    pages.add("/keeper.js", re.search(r"const keeper = `(.*?)`;", text, re.S)[1], "text/javascript")
    pages.add("/app.js", APP.format(server=f"http://127.0.0.1:{server.port}"), "text/javascript")
    pages.add("/", '<!doctype html><meta charset="utf-8"><title>kept</title><script type="module" src="/app.js"></script>', "text/html")
    page = browser.open(f"{pages.origin}/")
    page.wait_for("window.isReady === true && ww.state.name === 'live'")
    page.call("Network.enable")
    page.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    server.kill()
    page.wait_for("ww.state.name !== 'live'")
    page.evaluate("ww.chat({ with: 'bob' }).send('before').kept.then(() => 0)")
    page.call("Page.reload")
    page.wait_for("window.isReady === true && window.shown?.at(-1) === 'before queued' && navigator.onLine === false")
    assert page.evaluate("ww.chat({ with: 'bob' }).send('taken back').cancel()"), "it is taken back without a network"
    page.evaluate("ww.chat({ with: 'bob' }).send('after').kept.then(() => 0)")
    page.wait_for("shown.at(-1) === 'after queued'")
    server.start()
    page.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    page.wait_for("ww.outbox.list().length === 0 && ww.state.name === 'live'", seconds=40)
    answer = Caller(server, "bob").command(type="history", chat="alice:bob", limit=3)
    texts = [message["text"] for message in answer["ok"]["messages"]]
    assert texts[-2:] == ["before", "after"], texts


def main(binary, folder):
    subprocess.run([binary, "sdk", f"{folder}/sdk"], check=True, stdout=subprocess.DEVNULL)
    pages = Pages(pathlib.Path(folder, "sdk"))
    config = pathlib.Path(folder, "config.json")
    config.write_text(json.dumps({"origins": [pages.origin]}))
    server = Server(binary, f"{folder}/data", "--config", str(config), "--push-contact", "mailto:a@example.org")
    server.start()
    for one, other in (("alice", "bob"), ("bob", "alice")):
        Caller(server, one).command(type="follow", topic=f"user:{other}")
    pages.routes["/token"] = lambda _: (server.token("alice"), "text/plain")
    browser = Browser()
    checks = verdict.Tap()
    for name in ("Tabs", "Push"):
        text = (ROOT / f"Sources/Device/WebLibrary/WebLibrary.docc/{name}.md").read_text()
        code = "\n".join(re.findall(r"^```js\n(.*?)^```$", text, re.M | re.S))
        wanted = re.findall(r"// → (.*)$", code, re.M)
        code = code.replace("./watchwise.js", "/sdk/watchwise.js").replace("https://chat.example.org", f"http://127.0.0.1:{server.port}")
        code = code.replace("https://app.example.org", pages.origin)
        pages.add(f"/{name}.js", f"window.printed = []; console.log = (...words) => printed.push(words.join(' '));\n{code}\nwindow.isOver = true;", "text/javascript")
        pages.add(f"/{name}", f'<!doctype html><meta charset="utf-8"><title>{name}</title><body><script type="module" src="/{name}.js"></script>', "text/html")
        page = browser.open(f"{pages.origin}/{name}")

        def prints():
            page.wait_for("window.isOver === true", seconds=20)
            printed = page.evaluate("printed")
            assert printed == wanted and wanted, f"printed {printed}, wanted {wanted}"
            assert not page.errors, page.errors

        checks.tries(f"the samples of {name}.md run and print what they say", prints, PageError)
    checks.tries("with the worker of Offline.md a page starts without a network, and shows what waits at once", lambda: offline(server, pages, browser), PageError)
    browser.close()
    Server.end_all()
    pages.close()
    checks.last_line()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="watchwise-sdk-pages-") as made:
        main(os.path.abspath(sys.argv[1]), made)
