"""The stage of the tests of the elements: a server, an application with its pages, people, and a browser."""

import json
import pathlib
import re
import sys
import time

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("BrowserTests", "."))
from browser import Browser, PageError
from pages import Pages
from Trials.server import Caller, Server

INBOX, CHAT = (f"document.querySelector('watchwise-{name}').shadowRoot" for name in ("inbox", "chat"))
ROWS = f"[...{INBOX}.querySelectorAll('.note')]"
MESSAGES = f"[...{CHAT}.querySelectorAll('.message')]"
TEXTS = f"{MESSAGES}.map(one => one.querySelector('.text').textContent)"
PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/Device/WebLibrary/WebLibrary.docc/Elements.md"
NAMES = ("alice", "bob", "carol")


class Stage:
    """A server, an application with its pages and its /token, and a browser."""

    def __init__(self, binary, folder):
        self.pages = Pages(pathlib.Path(folder, "none"))
        config = pathlib.Path(folder, "config.json")
        config.write_text(json.dumps({"origins": [self.pages.origin], "profile": ["name"], "rules": {"users/{user}": "public"}}))
        self.server = Server(binary, f"{folder}/data", "--config", str(config), "--push-contact", "mailto:a@example.org")
        self.server.start()
        self.operator = Caller(self.server, "operator", "admin")
        self.people = {user: Caller(self.server, user) for user in NAMES}
        for one in NAMES:
            for other in NAMES:
                if one != other:
                    self.people[one].ok(type="follow", topic=f"user:{other}")
        for user in NAMES:
            self.clear(user)
            self.pages.routes[f"/token/{user}"] = lambda _, user=user: (json.dumps({"token": self.server.token(user)}), "application/json")
        self.pages.add("/token/nobody", "null", "application/json")
        self.browser = Browser()
        self.count = 0

    def clear(self, user):
        """Those that are followed have notifications of that."""
        found = self.people[user].ok(type="notifications", limit=200)["notifications"]
        if found:
            self.people[user].ok(type="archive", ids=[one["id"] for one in found])

    def notify(self, user, title, **more):
        self.operator.ask("POST", "/v1/broadcasts", {"audience": f"user:{user}", "title": title, **more})

    def say(self, user, chat, text):
        self.count += 1
        to = {"chat": chat} if chat.startswith("room:") else {"to": chat}
        return self.people[user].ok(type="send", text=text, key=f"k{self.count}", **to)["n"]

    def html(self, body, lang="en", head=""):
        """A page: the module of the server, and what stands in it. That is all that an application writes."""
        module = f'<script type="module" src="{self.server.url}/v1/sdk/watchwise-elements.js"></script>'
        body = body if module in body else module + "\n" + body
        return (f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>Elements</title>'
                f'<meta name="viewport" content="width=device-width">{head}</head><body><main><h1>Shop</h1>\n'
                f'{body}\n</main></body></html>')

    def inbox(self, user, more=""):
        return f'<watchwise-inbox server="{self.server.url}" token="/token/{user}" {more}></watchwise-inbox>'

    @staticmethod
    def sample(kind):
        """The first sample of a kind in Elements.md."""
        return re.search(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)[1]

    def documented(self):
        """The two lines that a page writes."""
        lines = self.sample("html")
        assert lines.count("\n") == 2, lines
        return lines.replace("https://chat.example.org", self.server.url).replace('"/token"', '"/token/alice"')

    def chat(self, user, more):
        return f'<watchwise-chat server="{self.server.url}" token="/token/{user}" {more}></watchwise-chat>'

    def open(self, body, lang="en", head="", width=900, height=760):
        """The page in a browser context of its own: another person's, another device's."""
        self.count += 1
        path = f"/page{self.count}"
        self.pages.add(path, self.html(body, lang, head), "text/html")
        return self.browser.open(self.pages.origin + path, width, height)

    def close(self):
        self.browser.close()
        Server.end_all()
        self.pages.close()


def press(page, key, code):
    page.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **({"text": "\r"} if key == "Enter" else {}))
    page.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)


def click(page, root, selector):
    page.wait_for(f"{root}?.querySelector({json.dumps(selector)}) != null")
    page.evaluate(f"{root}.querySelector({json.dumps(selector)}).click()")


def write(page, text):
    page.wait_for(f"{CHAT}?.querySelector('textarea') != null")
    page.evaluate(f"{CHAT}.querySelector('textarea').focus()")
    page.call("Input.insertText", text=text)


def is_right(page):
    assert not page.errors, "; ".join(page.errors)


def until(check, what, seconds=10):
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            raise PageError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.05)
