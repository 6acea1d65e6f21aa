"""The samples of Frameworks.md, and the chat in 15 lines of Chat.md, in Chromium with a real server: React as Debian has it, bundled
by esbuild, and Vue from a package of PyPI that contains it."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("BrowserTests", "."))
from browser import Browser, PageError
from elements_stage import until
from pages import Pages
from Trials import verdict
from Trials.server import Caller, Server

PAGES = pathlib.Path(__file__).resolve().parents[2] / "Sources/Device/WebLibrary/WebLibrary.docc"
NODES = pathlib.Path("/usr/share/nodejs")
OPEN = """
const ww = await WatchWise.open({{ server: "{server}", token: async () => (await fetch("/token")).text() }});
window.ww = ww;
"""
REACT = """import {{ createRoot }} from "react-dom/client";
import {{ StrictMode }} from "react";
import {{ WatchWise }} from "watchwise";
import {{ ChatRoom }} from "./sample.jsx";
{open}
const root = createRoot(document.getElementById("root"));
root.render(<StrictMode><ChatRoom ww={{ww}} person="bob" /></StrictMode>);
window.leave = () => root.unmount();
"""
VUE = """import {{ createApp }} from "vue";
import {{ WatchWise }} from "/sdk/watchwise.js";
import {{ ChatRoom }} from "/sample.js";
{open}
const app = createApp(ChatRoom, {{ ww, person: "bob" }});
app.mount("#root");
window.leave = () => app.unmount();
"""
SVELTE = """import {{ WatchWise }} from "/sdk/watchwise.js";
import {{ storeOf }} from "/list.js";
{open}
const [form, list] = [document.createElement("form"), document.createElement("ol")];
const calls = [];
const end = storeOf(ww.chat({{ with: "bob" }})).subscribe(({{ items }}) => {{
  calls.push(items.length);
  list.replaceChildren(...items.map(({{ from, text }}) => Object.assign(document.createElement("li"), {{ textContent: `${{from}}: ${{text}}` }})));
}});
window.atOnce = calls.join();
form.append(list, Object.assign(document.createElement("input"), {{ ariaLabel: "Message" }}), document.createElement("button"));
form.onsubmit = event => {{ event.preventDefault(); ww.chat({{ with: "bob" }}).send(form.querySelector("input").value); form.reset(); }};
document.getElementById("root").append(form);
window.leave = end;
"""
ITEMS = "[...document.querySelectorAll('li')].map(one => one.textContent.trim())"


def sample(page, kind, number=0):
    return re.findall(rf"^```{kind}\n(.*?)^```$", (PAGES / f"{page}.md").read_text(), re.M | re.S)[number]


class Stage:
    def __init__(self, binary, folder):
        self.folder = pathlib.Path(folder)
        subprocess.run([binary, "sdk", f"{folder}/sdk"], check=True, stdout=subprocess.DEVNULL)
        self.pages = Pages(self.folder / "sdk")
        config = self.folder / "config.json"
        config.write_text(json.dumps({"origins": [self.pages.origin]}))
        self.server = Server(binary, f"{folder}/data", "--config", str(config)).start()
        self.alice, self.bob = Caller(self.server, "alice"), Caller(self.server, "bob")
        self.alice.ok(type="follow", topic="user:bob")
        self.bob.ok(type="follow", topic="user:alice")
        self.pages.routes["/token"] = lambda _: (self.server.token("alice"), "text/plain")
        self.browser = Browser()
        self.open_library = OPEN.format(server=self.server.url)
        self.count = 0

    def text(self, name, kind, text):
        self.pages.add(f"/{name}", text, kind)

    def page(self, name, script, head=""):
        self.text(f"{name}.js", "text/javascript", script)
        self.text(name, "text/html", f'<!doctype html><meta charset="utf-8"><title>{name}</title>{head}<div id="root"></div><script type="module" src="/{name}.js"></script>')
        return self.browser.open(f"{self.pages.origin}/{name}")

    def say(self, text):
        self.count += 1
        self.bob.ok(type="send", to="alice", text=text, key=f"k{self.count}")

    def chats(self, page, name):
        """What each page does: it shows what is there, sends, shows what comes, and ends its list."""
        page.wait_for(f"{ITEMS}.length > 0", seconds=20)
        page.evaluate("document.querySelector('input').focus()")
        page.call("Input.insertText", text=f"By {name}")
        page.evaluate("document.querySelector('form').requestSubmit()")
        page.wait_for(f"{ITEMS}.at(-1) === 'alice: By {name}' && document.querySelector('input').value === ''")
        until(lambda: self.bob.ok(type="history", chat="alice:bob", limit=1)["messages"][-1]["text"] == f"By {name}", "it is on the server")
        self.say(f"To {name}")
        page.wait_for(f"{ITEMS}.at(-1) === 'bob: To {name}' && {ITEMS}.at(-2) === 'alice: By {name}'")

    def leaves(self, page, name):
        page.evaluate("before = ww.core.lists.size; leave()")
        page.wait_for("ww.core.lists.size === 0")
        assert page.evaluate("before") == 1, f"{page.evaluate('before')} lists"
        assert not page.errors, f"{name}: {page.errors}"
        page.close()

    def react(self):
        work = self.folder / "react"
        (work / "node_modules").mkdir(parents=True)
        (work / "node_modules/watchwise").symlink_to(self.folder / "sdk")
        (work / "sample.jsx").write_text(sample("Frameworks", "jsx"))
        (work / "entry.jsx").write_text(REACT.format(open=self.open_library))
        made = subprocess.run(["esbuild", str(work / "entry.jsx"), "--bundle", "--format=esm", "--jsx=automatic", "--define:process.env.NODE_ENV=\"production\"", "--log-level=warning",
                               f"--outfile={work}/react.js"], env={**os.environ, "NODE_PATH": str(NODES)}, capture_output=True, text=True)
        assert made.returncode == 0 and not made.stderr, made.stderr
        for number in range(60):
            self.say(f"Number {number}")
        page = self.page("react", (work / "react.js").read_text())
        self.chats(page, "react")
        assert page.evaluate(f"{ITEMS}.length") <= 52
        page.evaluate("document.querySelector('button[type=button]').click()")
        page.wait_for(f"{ITEMS}.length > 60 && !document.querySelector('button[type=button]')")
        self.leaves(page, "React")

    def vue(self):
        file = pathlib.Path(importlib.util.find_spec("nicegui").origin).parent / "static/vue.esm-browser.prod.js"
        self.text("vue.esm.js", "text/javascript", file.read_text())
        self.text("sample.js", "text/javascript", sample("Frameworks", "js", 0))
        page = self.page("vue", VUE.format(open=self.open_library), '<script type="importmap">{"imports":{"vue":"/vue.esm.js"}}</script>')
        self.chats(page, "vue")
        self.leaves(page, "Vue")

    def svelte(self):
        self.text("list.js", "text/javascript", sample("Frameworks", "js", 1))
        page = self.page("svelte", SVELTE.format(open=self.open_library))
        self.chats(page, "svelte")
        assert page.evaluate("atOnce") == "0", "a store calls at once"
        self.leaves(page, "Svelte")

    def lines(self):
        html = sample("Chat", "html")
        assert html.count("\n") == 15, html.count("\n")
        self.text("lines", "text/html", '<!doctype html><meta charset="utf-8"><title>Lines</title>' + html.replace("https://chat.example.org", self.server.url))
        page = self.browser.open(f"{self.pages.origin}/lines")
        self.chats(page, "lines")
        assert not page.errors, page.errors
        page.close()

    def close(self):
        self.browser.close()
        Server.end_all()
        self.pages.close()


def main(binary, folder):
    stage = Stage(binary, folder)
    checks = verdict.Tap()
    stage.say("Hello")
    checks.tries("a chat in 15 lines of HTML shows what is there, sends, and shows what comes", stage.lines, PageError)
    if (NODES / "react-dom").is_dir():
        checks.tries("the sample of React draws a chat, shows earlier messages, and ends its list, in the strict mode", stage.react, PageError)
    else:
        print("skipped: React, because node-react-dom is not installed")
    checks.tries("the sample of Vue draws a chat and ends its list", stage.vue, PageError)
    checks.tries("the store of the sample of Svelte keeps the rules of its stores", stage.svelte, PageError)
    stage.close()
    checks.last_line()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="watchwise-frameworks-") as made:
        main(os.path.abspath(sys.argv[1]), made)
