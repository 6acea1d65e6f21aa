"""What the tests of pushes have in common: a page with a service worker, and pushes as the server makes them."""

import json

from browser import PageError

CONNECTED = "document.body.dataset.connection === 'live'"
BUTTON = "document.querySelector('#notify')"
CHAT = "anna:marco"


def payload(address, title, tag, body=None, language="en", gone=(), **more):
    """A push as the server makes it before it is sealed: the declarative form with our envelope."""
    notification = {"title": title, "navigate": f"{address}#ww=n5", "tag": tag, "lang": language, "dir": "auto",
                    "silent": False, "renotify": True, "app_badge": "3"}
    if body:
        notification["body"] = body
    envelope = {"v": 1, "id": "n5", "seq": 5, "epoch": "e", "level": "active", "tag": tag, "badge": 3, **more}
    if gone:
        envelope["gone"] = list(gone)
    return json.dumps({"web_push": 8030, "notification": notification, "app_badge": 3, "mutable": True, "ww": envelope})


class Notified:
    """A browser's page with a service worker. Pushes are tried while it shows another page of the server: the demo's own
    closes what is not in the inbox."""

    def __init__(self, trial, server, user):
        self.trial = trial
        self.server = server
        self.origin = f"http://127.0.0.1:{server.port}"
        self.address = f"{server.page}?user={user}"
        self.elsewhere = f"{self.origin}/demo/worker.js"
        self.scope = f"{self.origin}/v1/sdk/?user={user}"
        self.registration = ("(await navigator.serviceWorker.getRegistrations())"
                             f".find(one => one.scope === {json.dumps(self.scope)})")

    def wait_for_shown(self, *wanted):
        """Waits until exactly these notifications are on the screen, each a title and a tag."""
        wanted = json.dumps(sorted(wanted), separators=(",", ":"))
        shown = f"(await ({self.registration}).getNotifications()).map(one => [one.title, one.tag]).sort()"
        try:
            self.page.wait_for(f"(async () => JSON.stringify({shown}) === {json.dumps(wanted)})()")
        except PageError as error:
            raise PageError(f"shown: {self.page.evaluate(f'(async () => JSON.stringify({shown}))()')} ({error})") from None
