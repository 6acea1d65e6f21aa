"""The library's service worker in Chromium, as the demo uses it."""

import json
import time

from notified import BUTTON, CHAT, CONNECTED, Notified, payload


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
        check("pushes: the page says when somebody looks at it, and at which chat", self.focus)
        self.trial.browser.call("Target.disposeBrowserContext", browserContextId=self.page.context)

    def registered(self):
        self.page.call("ServiceWorker.enable")
        self.page.wait_for(CONNECTED, seconds=20)
        self.page.evaluate("location.hash = '#settings'")
        self.page.wait_for(f"{BUTTON}?.textContent === 'Notify me on this computer'")
        self.page.click("#notify")
        self.page.wait_for("!document.querySelector('#alert').hidden")
        self.page.wait_for(f"{BUTTON}.dataset.state === 'off' && !{BUTTON}.disabled")
        assert f"{self.origin}/demo" in self.page.workers, self.page.workers
        # The library takes its worker away when the browser cannot subscribe. The developer tools need no subscription.
        self.page.call("Page.navigate", url=self.elsewhere)
        self.page.wait_for(f"location.href === {json.dumps(self.elsewhere)}")
        self.page.wait_for(f"(async () => ({self.registration}) === undefined)()")
        self.page.evaluate(f"navigator.serviceWorker.register('/v1/sdk/watchwise-worker.js', {{ scope: {json.dumps(self.scope)} }})"
                           ".then(() => 0)")
        self.page.wait_for(f"(async () => ({self.registration})?.active?.state === 'activated')()")

    def push(self, data):
        self.page.call("ServiceWorker.deliverPushMessage", origin=self.origin, data=data,
                       registrationId=self.page.workers[self.scope])
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

    def focus(self):
        self.page.call("Page.navigate", url=self.address)
        self.page.wait_for(CONNECTED)
        self.page.evaluate(f"location.hash = '#chats/{CHAT}'")
        self.page.evaluate("window.sent = []; const send = WebSocket.prototype.send; WebSocket.prototype.send ="
                           " function (text) { sent.push(JSON.parse(text)); send.call(this, text); }; 0")
        last = "JSON.stringify((({ on, chat }) => [on, chat])(sent.filter(one => one.type === 'focus').at(-1)))"
        other = self.trial.browser.call("Target.createTarget", url="about:blank", browserContextId=self.page.context)
        self.page.wait_for(f"{last} === '[false,null]'")
        self.page.call("Page.bringToFront")
        self.page.wait_for(f"{last} === '[true,\"{CHAT}\"]'")
        self.trial.browser.call("Target.closeTarget", targetId=other["targetId"])
        # It says that it has no Push API here.
        errors = [error for error in self.page.errors if "does not support the Push API" not in error]
        assert not errors, "; ".join(errors)
