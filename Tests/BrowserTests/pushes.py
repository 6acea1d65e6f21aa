"""Pushes to the demo's page: its service worker in Chromium, and the whole way from a sealed message to the screen in
Firefox, with a push service on loopback."""

import base64
import json
import os
import subprocess
import time

from browser import PageError
from firefox import Firefox
from push_service import PushService
from server import DemoServer

CONNECTED = "document.body.dataset.connection === 'connected'"
BUTTON = "document.querySelector('#notify')"


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


def try_pushes(trial, binary, scratch):
    server = DemoServer(binary, os.path.join(scratch, "pushes"), os.path.join(trial.folder, "server.log"))
    server.start()
    try:
        Worker(trial, server).run()
        service = PushService()
        firefox = Firefox(service.url)
        try:
            for user, language, words, texts in PEOPLE:
                Computer(trial, server, firefox, service, user, language, words, texts).run()
        finally:
            firefox.close()
            service.close()
    finally:
        server.stop()


class Notified:
    """A browser's page with a service worker. Pushes are tried while it shows another page of the server: the demo's own
    closes what is not in the inbox."""

    def __init__(self, trial, server, user):
        self.trial = trial
        self.server = server
        self.origin = f"http://127.0.0.1:{server.port}"
        self.address = f"{server.page}?user={user}"
        self.elsewhere = f"{self.origin}/demo/push.js"
        self.registration = ("(await navigator.serviceWorker.getRegistrations())"
                             f".find(one => one.scope === {json.dumps(self.address)})")

    def wait_for_shown(self, *wanted):
        """Waits until exactly these notifications are on the screen, each a title and a tag."""
        wanted = json.dumps(sorted(wanted), separators=(",", ":"))
        shown = f"(await ({self.registration}).getNotifications()).map(one => [one.title, one.tag]).sort()"
        try:
            self.page.wait_for(f"(async () => JSON.stringify({shown}) === {json.dumps(wanted)})()")
        except PageError as error:
            raise PageError(f"shown: {self.page.evaluate(f'(async () => JSON.stringify({shown}))()')} ({error})") from None


class Worker(Notified):
    """The service worker in Chromium, which gets its pushes from the developer tools: they are not sealed."""

    def __init__(self, trial, server):
        super().__init__(trial, server, "anna")
        self.page = trial.browser.open(self.address)
        trial.browser.call("Browser.grantPermissions", origin=self.origin, permissions=["notifications"],
                           browserContextId=self.page.context)

    def run(self):
        check = self.trial.check
        check("pushes: where the browser has no push service the page says so, and the worker is there", self.registered)
        check("pushes: a push is shown, and the next one of its tag replaces it", self.replaced)
        check("pushes: a tag that is gone is closed", self.closed)
        check("pushes: what has expired shows nothing of its content", self.expired)
        check("pushes: a foreign or broken push shows something", self.foreign)
        check("pushes: the page closes what is not in the inbox any more", self.closed_by_page)
        check("pushes: the page says when somebody looks at it, and at which chat", self.focus)

    def registered(self):
        self.page.call("ServiceWorker.enable")
        self.page.wait_for(CONNECTED, seconds=20)
        self.page.wait_for(f"{BUTTON}.textContent === 'Notify me on this computer'")
        self.page.click("#notify")
        self.page.wait_for("!document.querySelector('#alert').hidden")
        self.page.wait_for(f"{BUTTON}.dataset.state === 'off' && !{BUTTON}.disabled")
        assert self.address in self.page.workers, self.page.workers
        self.page.call("Page.navigate", url=self.elsewhere)

    def push(self, data):
        self.page.call("ServiceWorker.deliverPushMessage", origin=self.origin, data=data,
                       registrationId=self.page.workers[self.address])
        # Chromium loses a notification that is listed while it is on its way to the screen.
        time.sleep(0.2)

    def replaced(self):
        self.push(payload(self.address, "One", "T1"))
        self.wait_for_shown(("One", "T1"))
        self.push(payload(self.address, "Two", "T1"))
        self.wait_for_shown(("Two", "T1"))

    def closed(self):
        self.push(payload(self.address, "Three", "T2", gone=["T1", "T9"]))
        self.wait_for_shown(("Three", "T2"))

    def expired(self):
        self.push(payload(self.address, "A secret", "T2", exp="2020-01-01T00:00:00.000Z"))
        self.wait_for_shown(("New notification", "T2"))

    def foreign(self):
        texts = ["", "no JSON", "[]", "null", "7", '{"notification":{"title":7,"tag":{},"lang":[]},"ww":5}',
                 '{"notification":null,"ww":{"gone":"T2","exp":{},"badge":-1,"id":[]}}']
        for number, text in enumerate(texts, 1):
            self.push(text)
            self.wait_for_shown(*[("New notification", "")] * number, ("New notification", "T2"))

    def closed_by_page(self):
        unseen = next(one for one in self.server.command("anna", type="notifications")["notifications"] if not one["seen"])
        self.push(payload(self.address, "There", "T3", id=unseen["id"]))
        self.push(payload(self.address, "Not there", "T4", id="n999999"))
        self.page.wait_for(f"(async () => (await ({self.registration}).getNotifications()).length === 10)()")
        self.page.call("Page.navigate", url=self.address)
        self.wait_for_shown(*[("New notification", "")] * 7, ("There", "T3"))

    def focus(self):
        self.page.wait_for(CONNECTED)
        self.page.click('[data-chat="anna:marco"]')
        self.page.evaluate("window.sent = []; const send = WebSocket.prototype.send; WebSocket.prototype.send ="
                           " function (text) { sent.push(JSON.parse(text)); send.call(this, text); }; 0")
        last = "JSON.stringify((({ on, chat }) => [on, chat])(sent.filter(one => one.type === 'focus').at(-1)))"
        other = self.trial.browser.call("Target.createTarget", url="about:blank", browserContextId=self.page.context)
        self.page.wait_for(f"{last} === '[false,null]'")
        self.page.call("Page.bringToFront")
        self.page.wait_for(f"{last} === '[true,\"anna:marco\"]'")
        self.trial.browser.call("Target.closeTarget", targetId=other["targetId"])
        # It says that it has no Push API here.
        errors = [error for error in self.page.errors if "does not support the Push API" not in error]
        assert not errors, "; ".join(errors)


PEOPLE = (
    ("anna", "en", ("Notify me on this computer", "No notifications on this computer"),
     ("Marco", "Have you seen anything good?", "Shall we go to the cinema?")),
    ("marco", "it", ("Avvisami su questo computer", "Niente avvisi su questo computer"),
     ("Anna", "Hai visto qualcosa di bello?", "Andiamo al cinema?")),
)


class Computer(Notified):
    """Somebody's page in Firefox, which subscribes at the push service and opens what the product's own code has sealed."""

    def __init__(self, trial, server, firefox, service, user, language, words, texts):
        super().__init__(trial, server, user)
        self.page, self.service = firefox, service
        self.user, self.language = user, language
        self.ask, self.end = words
        self.title, self.first, self.second = texts
        self.binary = os.path.join(os.path.dirname(server.binary), "watchwise-seal")

    def run(self):
        def check(sentence, work):
            self.trial.check(f"pushes to {self.user}: {sentence}", work)
        check("a click subscribes with the server's key, and the device is registered", self.subscribed)
        check("a sealed push is opened and shown in the language", self.shown)
        check("the next one of its tag replaces it", self.replaced)
        check("a click opens the page at the chat", self.clicked)
        check("a tag that is gone is closed", self.closed)
        check("another session takes the registration over", self.taken_over)
        check("a second click ends the subscription and the registration", self.ended)

    def devices(self):
        return self.server.command(self.user, type="devices")["devices"]

    def subscribed(self):
        self.page.open(self.address)
        self.page.wait_for(CONNECTED, seconds=20)
        self.page.wait_for(f"{BUTTON}.textContent === {json.dumps(self.ask)}")
        self.page.click("#notify")
        self.page.wait_for(f"{BUTTON}.dataset.state === 'on'")
        assert self.page.evaluate(f"{BUTTON}.textContent") == self.end
        self.subscription = self.page.evaluate(f"(await ({self.registration}).pushManager.getSubscription()).toJSON()")
        self.channel = self.subscription["endpoint"].rsplit("/", 1)[1]
        key = json.loads(self.server.get("/v1/push/key"))["webpush"]
        assert self.service.keys[self.channel].rstrip("=") == key, (self.service.keys, key)
        assert [one["platform"] for one in self.devices()] == ["webpush"], self.devices()
        self.page.open(self.elsewhere)

    def push(self, data):
        keys = self.subscription["keys"]
        plaintext = base64.urlsafe_b64encode(data.encode()).rstrip(b"=").decode()
        request = json.dumps({"do": "seal", "p256dh": keys["p256dh"], "auth": keys["auth"], "plaintext": plaintext})
        sealed = subprocess.run([self.binary], input=request + "\n", capture_output=True, text=True, timeout=10, check=True)
        body = json.loads(sealed.stdout)["body"]
        self.service.deliver(self.subscription["endpoint"], base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))

    def shown(self):
        self.push(payload(self.address, self.title, "T1", self.first, self.language))
        self.wait_for_shown((self.title, "T1"))
        self.page.alert_screenshot(os.path.join(self.trial.folder, f"10-notification-{self.language}.png"))

    def replaced(self):
        data = {"id": "m7", "chat": "anna:marco", "n": 9_000}
        self.push(payload(self.address, f"{self.title} 2", "T1", self.second, self.language, **data))
        self.wait_for_shown((f"{self.title} 2", "T1"))

    def clicked(self):
        self.page.click_alert()
        self.page.wait_for_pages(2)
        self.page.use_page(1)
        self.page.wait_for(CONNECTED, seconds=20)
        self.page.wait_for(f"document.querySelector('#peer').textContent === {json.dumps(self.title)}")
        assert self.page.evaluate("location.href") == self.address
        self.page.close_page()
        self.page.use_page(0)

    def closed(self):
        self.push(payload(self.address, "1", "T2"))
        self.push(payload(self.address, "2", "T3"))
        self.wait_for_shown(("1", "T2"), ("2", "T3"))
        self.push(payload(self.address, "3", "T4", gone=["T2", "T3"]))
        self.wait_for_shown(("3", "T4"))

    def taken_over(self):
        before = self.devices()
        self.page.evaluate("sessionStorage.clear()")
        self.page.open(self.address)
        self.page.wait_for(f"{BUTTON}.dataset.state === 'on'", seconds=20)
        after = self.devices()
        assert len(after) == 1 and after[0]["device"] != before[0]["device"], (before, after)

    def ended(self):
        self.page.click("#notify")
        self.page.wait_for(f"{BUTTON}.dataset.state === 'off' && !{BUTTON}.disabled")
        assert self.devices() == [], self.devices()
        assert self.channel in self.service.ended, self.service.ended
        assert self.page.evaluate("(await navigator.serviceWorker.getRegistrations()).length") == 0
