"""The elements of the library, <watchwise-inbox> and <watchwise-chat>, in Chromium, as a server serves them.

    python3 Tests/SDKTests/elements_suite.py BINARY [--pictures FOLDER]

With --pictures it makes pictures of a page with each of them, at the widths of a phone and of a computer, light and dark, in
English and in Arabic.
"""

import json
import os
import pathlib
import sys
import tempfile
import time

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("BrowserTests", "."))
from accessibility import SCHEMES, Accessibility, axe, sized, still
from elements_chat import Chat
from elements_inbox import Inbox
from elements_stage import CHAT, INBOX, MESSAGES, ROWS, PageError, Stage, click, is_right
from Trials import verdict

LANGUAGES = ("ar", "de", "el", "en", "it", "pl", "tr")
#: What a page needs, and no more: no inline scripts or styles, and no text that becomes HTML.
POLICY = "default-src 'none'; script-src {pages} {server}; connect-src 'self' {server} {socket}; require-trusted-types-for 'script'"


class Look:
    """Both elements on one page: for everybody, in each language, and in pictures."""

    def __init__(self, stage, folder=None):
        self.stage, self.folder = stage, folder

    def run(self, checks):
        self.fill()
        for lang in ("en", "ar"):
            checks.tries(f"axe finds nothing in the bell, the inbox, the preferences and the chat, at two widths, light and dark, in {lang}", lambda: self.look(lang), PageError)
        checks.tries("each language of the product has its words, and nothing is left in English", self.languages, PageError)
        checks.tries("a strict content security policy needs no exception", self.policy, PageError)

    def fill(self):
        """What Alice has: notifications of each level, and a talk with Bob."""
        stage = self.stage
        stage.clear("alice")
        for title, body, level in (("تم شحن طلبك", "سيصل طلبك رقم 1042 غدًا بين التاسعة والثانية عشرة.", "active"), ("Your table is ready", "Please come to the desk.", "time-sensitive"),
                                   ("Storm warning", "Do not leave the marked paths. The lifts close at 14:00, and the valley station has tea for everybody who waits there.", "critical"),
                                   ("Bob answered you", "“The ending is the best part.”", "active")):
            stage.notify("alice", title, body=body, level=level)
        stage.operator.ask("PUT", "/v1/documents/users/bob", {"name": "Bob"})
        stage.say("bob", "alice", "Have you seen Arrival?")
        n = stage.say("alice", "bob", "نعم، النهاية رائعة!")
        stage.say("alice", "bob", "I will see it again on Friday, in the old cinema at the harbour, because the sound there is much better than at home.")
        stage.people["bob"].ok(type="react", chat="alice:bob", n=n, emoji="❤️", on=True, key="react")
        stage.say("bob", "alice", "Then I come with you.")

    def opened(self, lang, width=1280, height=800):
        style = '<link rel="stylesheet" href="/look.css">'
        self.stage.pages.add("/look.css", ":root { color-scheme: light dark; font: 16px system-ui, sans-serif; } body { margin: 0; } main { padding: 1rem; }"
                             " header { display: flex; justify-content: space-between; } watchwise-chat { max-width: 40rem; }", "text/css")
        page = self.stage.open(f"<header><b>Cinema</b>{self.stage.inbox('alice')}</header>" + self.stage.chat("alice", 'with="bob"'), lang, style, width, height)
        page.wait_for(f"{INBOX}?.querySelector('.count') != null && {MESSAGES}.length > 3 && {CHAT}.querySelector('.who small').textContent !== ''")
        still(page)
        return page

    def look(self, lang):
        found = []
        page = self.opened(lang)
        assert page.evaluate(f"getComputedStyle({INBOX}.querySelector('.panel')).direction") == ("rtl" if lang == "ar" else "ltr")
        assert page.evaluate(f"getComputedStyle({CHAT}.querySelector('textarea')).direction") == ("rtl" if lang == "ar" else "ltr"), "the place to write begins where the page's language does"
        page.evaluate("document.documentElement.dir = " + json.dumps("rtl" if lang == "ar" else "ltr"))
        page.evaluate(axe() + "; 0")
        menu = f"{CHAT}.querySelector('.mine .dotsButton').click()"
        for name, act in (("chat", "0"), ("inbox", f"{INBOX}.querySelector('.bell').click()"), ("preferences", f"{INBOX}.querySelector('.gear').click()"), ("menu", "document.querySelector('watchwise-inbox').hide()")):
            page.evaluate(f"{act}; 0")
            for size, _ in sized(page):
                # A change of the window closes a menu; it is heard with the next frame.
                page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
                if name != "chat":
                    root = CHAT if name == "menu" else INBOX
                    page.evaluate(menu if name == "menu" else "0")
                    page.wait_for(f"{root}.querySelector('[popover]').matches(':popover-open')")
                for scheme in SCHEMES:
                    still(page, {"name": "prefers-color-scheme", "value": scheme})
                    time.sleep(0.1)
                    found += [f"{name} {size} {scheme} {lang}: {one}" for one in Accessibility.violations(page)]
                    if self.folder:
                        page.screenshot(os.path.join(self.folder, f"elements-{name}-{size}-{scheme}-{lang}.png"))
        assert not found, "\n        ".join(found)
        is_right(page)
        page.close()

    def languages(self):
        english = None
        for lang in ("en", *(one for one in LANGUAGES if one != "en"), "de-AT"):
            page = self.opened(lang)
            click(page, INBOX, ".bell")
            page.wait_for(f"{ROWS}.length === 4")
            words = page.evaluate(f"[{INBOX}.querySelector('.title').textContent, ...[...{INBOX}.querySelectorAll('button[title]'), ...{CHAT}.querySelectorAll('button[title]')].map(one => one.title), {CHAT}.querySelector('textarea').placeholder]")
            click(page, INBOX, "button.gear")
            words += page.evaluate(f"[...{INBOX}.querySelectorAll('legend, label span')].map(one => one.textContent)")
            words.append(page.evaluate("document.querySelector('watchwise-inbox').t('new', { n: 5 })"))
            assert len(words) > 20, words
            if english:
                left = [one for one, other in zip(words, english) if one == other]
                assert len(words) == len(english) and not left, f"{lang}: {left}"
            english = english or words
            is_right(page)
            page.close()
        page = self.opened("xx-invalid_tag")
        assert page.evaluate(f"{INBOX}.querySelector('.bell').ariaLabel").startswith("Notifications"), "English where there are no words"
        page.close()

    def policy(self):
        server = self.stage.server.url
        policy = POLICY.format(pages=self.stage.pages.origin, server=server, socket=server.replace("http", "ws"))
        self.stage.pages.add("/watch.js", "broken = []; document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => broken.push(violatedDirective))", "text/javascript")
        head = f'<meta http-equiv="Content-Security-Policy" content="{policy}"><script src="/watch.js"></script>'
        page = self.stage.open(self.stage.inbox("alice") + self.stage.chat("alice", 'with="bob"'), head=head)
        click(page, INBOX, ".bell")
        page.wait_for(f"{ROWS}.length === 4 && {MESSAGES}.length > 3")
        assert page.evaluate("broken.join()") == "", page.evaluate("broken.join()")
        is_right(page)
        page.close()


def main(binary, folder, pictures):
    stage = Stage(binary, folder)
    stage.pages.add("/names.js", "addEventListener('DOMContentLoaded', () => { document.querySelector('watchwise-chat').names = "
                    "user => user === 'bob' ? Promise.resolve('Bob B.') : { carol: 'Carol' }[user]; })", "text/javascript")
    checks = verdict.Tap()
    try:
        if not pictures:
            Inbox(stage).run(checks)
            Chat(stage).run(checks)
        Look(stage, pictures).run(checks)
    finally:
        stage.close()
    checks.last_line()


if __name__ == "__main__":
    into = os.path.abspath(sys.argv[3]) if sys.argv[2:3] == ["--pictures"] else None
    with tempfile.TemporaryDirectory(prefix="watchwise-elements-") as made:
        main(os.path.abspath(sys.argv[1]), made, into)
