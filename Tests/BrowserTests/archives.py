"""Notifications that a person archives, on two devices of one person."""

import json
import os

from accessibility import Accessibility, axe

IDS = "[...document.querySelectorAll('.note:not([data-gone])')].map(one => one.dataset.id)"

# How many writes the browser's database keeps.
KEPT = ("await new Promise(async (done, failed) => { const [{ name }] = await indexedDB.databases(); const opening = indexedDB.open(name);"
        " opening.onsuccess = () => { const { result } = opening; const counting = result.transaction('outbox').objectStore('outbox').count();"
        " counting.onsuccess = () => { result.close(); done(counting.result); }; }; opening.onerror = failed; })")


def note(id):
    return f".note[data-id={json.dumps(id)}]"


class Archives:
    """Giulia's followers are her notifications."""

    def __init__(self, trial):
        self.trial, self.server, self.browser = trial, trial.server, trial.browser

    def run(self):
        self.desk, self.pocket = (self.browser.open(f"{self.server.page}?user=giulia&device={device}#inbox") for device in ("desk", "pocket"))
        self.trial.check("a notification is archived with its button: it leaves both devices, and the server's list", self.by_button)
        self.trial.check("Delete archives the notification that has the focus, which goes to the next one; without a server it leaves"
                         " at once, stays away after a reload, and leaves the other device when the server is back", self.by_key)
        for page in (self.desk, self.pocket):
            page.close()

    def listed(self):
        """The ids that the server has."""
        return [one["id"] for one in self.server.command("giulia", type="notifications", limit=200)["notifications"]]

    def by_button(self):
        for page in (self.desk, self.pocket):
            page.wait_for(f"document.body.dataset.connection === 'live' && {IDS}.length >= 4", seconds=20)
        archived, following, *_ = self.desk.evaluate(IDS)
        self.desk.wait_for("!document.querySelector('#bell-count').hidden")
        unread = self.desk.evaluate("Number(document.querySelector('#bell-count').textContent)")
        self.look()
        self.desk.evaluate(f"document.querySelector('{note(archived)} [data-archive]').focus()")
        self.desk.click(f"{note(archived)} [data-archive]")
        self.desk.wait_for(f"document.querySelector('{note(archived)}') === null", seconds=2)
        assert self.desk.evaluate(f"document.activeElement.closest('{note(following)}') !== null"), "the focus is lost"
        self.pocket.wait_for(f"document.querySelector('{note(archived)}')?.dataset.gone === 'archived'")
        for page in (self.desk, self.pocket):
            page.wait_for(f"Number(document.querySelector('#bell-count').textContent) === {unread - 1}")
            page.wait_for(f"document.querySelector('{note(archived)}') === null")
        assert archived not in self.listed() and following in self.listed(), self.listed()

    def look(self):
        self.desk.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        for width, height in ((1280, 800), (390, 844)):
            self.desk.resize(width, height)
            self.desk.wait_for(f"innerWidth === {width} && document.documentElement.scrollWidth <= {width}")
            self.desk.screenshot(os.path.join(self.trial.folder, f"10-archive-{width}.png"))
        self.desk.evaluate(axe() + "; 0")
        found = Accessibility.violations(self.desk)
        assert not found, "\n        ".join(found)

    def by_key(self):
        self.desk.wait_for("navigator.serviceWorker.controller !== null")
        self.server.kill()
        self.desk.wait_for("document.body.dataset.connection === 'waiting'")
        first, second, *rest = self.desk.evaluate(IDS)
        self.desk.evaluate(f"document.querySelector('{note(first)} .noteTitle button').focus()")
        for archived, following in ((first, second), (second, rest[0])):
            self.desk.press("Delete", 46)
            self.desk.wait_for(f"document.querySelector('{note(archived)}') === null", seconds=2)
            self.desk.wait_for(f"document.activeElement.closest('{note(following)}') !== null", seconds=2)
        self.desk.wait_for(f"(async () => {KEPT} === 2)()")  # the list shows a write a few milliseconds before the browser has stored it
        self.desk.call("Page.reload")
        self.desk.wait_for("document.querySelector('.note') !== null && document.body.dataset.connection === 'waiting'", seconds=20)
        assert self.desk.evaluate(IDS) == rest, self.desk.evaluate(IDS)
        assert self.pocket.evaluate(IDS) == [first, second, *rest], self.pocket.evaluate(IDS)
        self.server.start()
        for id in (first, second):
            self.pocket.wait_for(f"!document.querySelector('{note(id)}:not([data-gone])')", seconds=40)
        self.trial.wait_until(lambda: not {first, second} & set(self.listed()))
        assert set(rest) <= set(self.listed()), self.listed()
        for page in (self.desk, self.pocket):
            assert not page.errors, "; ".join(page.errors)
