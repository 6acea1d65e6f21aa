"""Notifications that a person archives, on two devices of one person."""

import json
import os

from accessibility import SIZES, Accessibility, sized, still

# Those that the page shows, and those of them that nobody else takes away.
IDS = "[...document.querySelectorAll('.note:not([data-gone])')].map(one => one.dataset.id)"
FOLLOWERS = IDS.replace(".note:", ".note[data-kind=follower]:")
# How many writes the browser's database keeps.
KEPT = ("await new Promise(async (done, failed) => { const [{ name }] = await indexedDB.databases(); const opening = indexedDB.open(name);"
        " opening.onsuccess = () => { const { result } = opening; const counting = result.transaction('outbox').objectStore('outbox').count();"
        " counting.onsuccess = () => { result.close(); done(counting.result); }; }; opening.onerror = failed; })")


def note(id):
    return f".note[data-id={json.dumps(id)}]"


class Archives:
    """Giulia's followers are her notifications; the cast goes on, and others come and go."""

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

    def unread(self):
        return self.server.command("giulia", type="notifications", limit=1)["unread"]

    def by_button(self):
        for page in (self.desk, self.pocket):
            page.wait_for(f"document.body.dataset.connection === 'live' && {FOLLOWERS}.length >= 4", seconds=20)
        self.look()
        [archived, *_], shown = self.desk.evaluate(FOLLOWERS), self.desk.evaluate(IDS)
        following = (shown[shown.index(archived) + 1:] + shown[:shown.index(archived)])[0]
        self.desk.evaluate(f"document.querySelector('{note(archived)} [data-archive]').focus()")
        # The other device shows for some seconds that it goes, and a busy machine may look later.
        looking = f"() => {{ window.reasonGone ??= document.querySelector('{note(archived)}')?.dataset.gone; }}"
        watched = "{ subtree: true, childList: true, attributes: true }"
        self.pocket.evaluate(f"new MutationObserver({looking}).observe(document.body, {watched})")
        self.desk.click(f"{note(archived)} [data-archive]")
        self.desk.wait_for(f"document.querySelector('{note(archived)}') === null")
        assert self.desk.evaluate(f"document.activeElement.closest('{note(following)}') !== null"), "the focus is lost"
        self.pocket.wait_for("window.reasonGone === 'archived'")
        for page in (self.desk, self.pocket):
            page.wait_for(f"document.querySelector('{note(archived)}') === null")
            self.trial.wait_until(lambda page=page: self.unread() == page.evaluate("Number(document.querySelector('#bell-count').textContent)"))
        assert archived not in self.listed(), self.listed()

    def look(self):
        still(self.desk)
        for _, width in sized(self.desk, reversed(SIZES)):
            self.desk.screenshot(os.path.join(self.trial.folder, f"10-archive-{width}.png"))
        Accessibility.expect_nothing(self.desk, "archive")

    def by_key(self):
        self.desk.wait_for("navigator.serviceWorker.controller !== null")
        self.server.kill()
        self.desk.wait_for("document.body.dataset.connection === 'waiting'")
        shown, followers = self.desk.evaluate(IDS), self.desk.evaluate(FOLLOWERS)
        first, second, third = shown[:3]
        self.desk.evaluate(f"document.querySelector('{note(first)} .noteTitle button').focus()")
        for archived, following in ((first, second), (second, third)):
            self.desk.press("Delete", 46)
            self.desk.wait_for(f"document.querySelector('{note(archived)}') === null")
            self.desk.wait_for(f"document.activeElement.closest('{note(following)}') !== null")
        self.desk.wait_for(f"(async () => {KEPT} === 2)()")  # the list shows a write a few milliseconds before the browser has stored it
        self.desk.call("Page.reload")
        self.desk.wait_for("document.querySelector('.note') !== null && document.body.dataset.connection === 'waiting'", seconds=20)
        assert self.desk.evaluate(IDS) == shown[2:], self.desk.evaluate(IDS)
        assert {first, second} <= set(self.pocket.evaluate(IDS)), self.pocket.evaluate(IDS)
        self.server.start()
        for id in (first, second):
            self.pocket.wait_for(f"!document.querySelector('{note(id)}:not([data-gone])')", seconds=40)
        self.trial.wait_until(lambda: not {first, second} & set(self.listed()))
        assert set(followers) - {first, second} <= set(self.listed()), self.listed()
        for page in (self.desk, self.pocket):
            assert not page.errors, "; ".join(page.errors)
