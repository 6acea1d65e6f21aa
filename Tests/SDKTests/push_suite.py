"""Pushes with the library: subscribed in Firefox at a push service on loopback, and the worker's rules in Chromium."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("BrowserTests", "."))
from browser import Browser, PageError
from firefox import Firefox
from pages import Pages
from push_service import PushService
from Trials import verdict
from Trials.server import Caller, Server

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

CHAT = "alice:bob"
SCRIPT = """
import { WatchWise } from "/sdk/watchwise.js";
Object.assign(window, { WatchWise, opened: [], pushes: [] });
const { user = "alice", server, token } = await (await fetch("/settings" + location.search)).json();
window.ww = await WatchWise.open({ server, user, token: async () => token, storage: `push-${user}` });
ww.on("push", state => pushes.push(state));
ww.on("opened", place => opened.push(place));
window.shown = async () => (await Promise.all((await navigator.serviceWorker.getRegistrations()).map(one => one.getNotifications())))
  .flat().map(({ title, body, tag, data, requireInteraction, silent }) => ({ title, body, tag, data, requireInteraction, silent }));
document.querySelector("#on").onclick = () => ww.push.enable({ tokenUrl: "/settings" + location.search }).catch(error => (window.problem = error.code));
"""
OWN_WORKER = """importScripts("/sdk/watchwise-worker.js");
addEventListener("push", event => {
  const push = watchwise.read(event);
  event.waitUntil(push?.ww ? watchwise.push(event) : registration.showNotification("of the app"));
});"""


def envelope(tag, title="A title", exp=None, level="active", ident="n5", **more):
    ww = {"v": 1, "id": ident, "seq": 5, "epoch": "e", "level": level, "tag": tag, "badge": 3, **more}
    if exp:
        ww["exp"] = exp
    return json.dumps({"web_push": 8030, "notification": {"title": title, "tag": tag, "lang": "it"}, "ww": ww})


class Suite:
    def __init__(self, binary, folder):
        self.checks = verdict.Tap()
        self.service = PushService(pathlib.Path(folder))
        subprocess.run([binary, "sdk", f"{folder}/sdk"], check=True, stdout=subprocess.DEVNULL)
        self.pages = Pages(pathlib.Path(folder, "sdk"))
        self.pages.add("/page", '<!doctype html><meta charset="utf-8"><title>pushes</title><button id="on">on</button>'
                                f'<script type="module">{SCRIPT}</script>', "text/html")
        self.pages.add("/empty", "<!doctype html><title>another page</title>", "text/html")
        self.pages.add("/own-worker.js", OWN_WORKER, "text/javascript")
        self.pages.routes["/settings"] = self.settings
        config = pathlib.Path(folder, "config.json")
        config.write_text(json.dumps({"origins": [self.pages.origin]}))
        self.server = Server(binary, f"{folder}/data", "--config", str(config), "--push-contact", "mailto:a@example.org",
                             "--push-allow", "127.0.0.0/8", "--outbound-authorities", str(self.service.authorities), "--push-hold", "0")
        self.server.start()
        self.alice, self.bob = Caller(self.server, "alice"), Caller(self.server, "bob")
        for one, other in ((self.alice, "bob"), (self.bob, "alice")):
            one.command(type="follow", topic=f"user:{other}")

    def settings(self, query):
        user = "bob" if "bob" in query else "alice"
        address = f"http://127.0.0.1:{self.server.port}"
        return json.dumps({"user": user, "server": address, "token": self.server.token(user)}), "application/json"

    @staticmethod
    def fail(error):
        raise AssertionError(str(error))

    def check(self, sentence, work):
        self.checks.tries(sentence, work, PageError, KeyError, IndexError, RuntimeError)

    @staticmethod
    def equal(got, wanted):
        assert got == wanted, f"got {got!r}, wanted {wanted!r}"

    def wait(self, what, wanted, seconds=10):
        deadline = time.monotonic() + seconds
        while (got := what()) != wanted:
            assert time.monotonic() < deadline, f"got {got!r}, wanted {wanted!r}"
            time.sleep(0.05)

    def devices(self, who=None):
        return [one["platform"] for one in (who or self.alice).command(type="devices")["ok"]["devices"]]

    def write(self, text):
        return self.bob.command(type="send", to="alice", text=text, key=os.urandom(8).hex())["ok"]["n"]

    # Firefox: the whole way

    def firefox(self):
        page = self.page = Firefox(self.service.url)
        try:
            self.check("before the first click pushes are off, and the page says so", self.off)
            self.check("a click subscribes with the server's key, and registers the device", self.enabled)
            self.check("no page is open: a message is shown, and the next one replaces it", self.shown)
            self.check("a click opens the page, which is told what was clicked", self.opens)
            self.check("a click while a page is open brings it to the front and tells it", self.focuses)
            self.check("what is read or seen on another device is closed by the page", self.closed)
            self.check("what was seen while no page was open is closed at the next start, the rest stays", self.swept)
            self.check("the server has lost the registration: the next start brings it back", self.compared)
            self.check("the subscription is lost: the next start makes another", self.resubscribed)
            self.check("the browser ends the subscription while the page is open: the worker makes another, the page registers it",
                       self.renewed)
            self.check("the browser ends the subscription while no page is open: the worker makes another, and registers it", self.renewed_alone)
            self.check("another person of the same browser has a subscription of one's own", self.two_people)
            self.check("the badge falls with what is read and seen elsewhere", self.badge)
            self.check("signing out without a network takes away what is shown; the next start ends the subscription", self.left_over)
            self.check("signing out ends the registration, the subscription and the worker", self.signed_out)
            self.check("the push service has refused nothing", lambda: self.equal(self.service.refused, []))
        finally:
            page.close()

    def open(self, query=""):
        self.page.open(f"{self.pages.origin}/page{query}")
        self.page.wait_for("window.ww?.state.name === 'live'", seconds=20)

    def click_on(self):
        self.page.click("#on")
        self.page.wait_for("ww.push.state === 'on' || window.problem", seconds=40)
        if self.page.evaluate("window.problem ?? null"):
            # Firefox at times ends a worker while it is new; a person clicks again.
            print(f"# clicked again after {self.page.evaluate('problem')}", flush=True)
            self.page.evaluate("delete window.problem")
            self.page.click("#on")
            self.page.wait_for("ww.push.state === 'on'", seconds=40)

    def off(self):
        self.open()
        self.page.wait_for("ww.push.state === 'off'")
        self.equal(self.devices(), [])

    def enabled(self):
        self.click_on()
        self.equal(self.devices(), ["webpush"])
        key = self.alice.call("GET", "/v1/push/key")[1]["webpush"]
        self.equal(list(self.service.keys.values()), [key])
        self.channel = next(iter(self.service.keys))
        self.equal(self.page.evaluate("pushes.at(-1)"), "on")
        scope = self.page.evaluate("(await navigator.serviceWorker.getRegistrations())[0].scope")
        self.equal(scope, f"{self.pages.origin}/sdk/?user=alice")

    def titles(self):
        return self.page.evaluate("""(await Promise.all((await navigator.serviceWorker.getRegistrations())
            .map(one => one.getNotifications()))).flat().map(one => one.body).sort()""")

    def shown(self):
        self.page.open(f"{self.pages.origin}/empty")
        self.write("one")
        self.wait(self.titles, ["one"])
        self.n = self.write("two")
        self.wait(self.titles, ["two"])

    def opens(self):
        self.page.click_alert("two")
        self.page.wait_for_pages(2)
        self.page.use_page(1)
        self.page.wait_for("window.opened?.length === 1", seconds=20)
        place = self.page.evaluate("opened[0]")
        self.equal((place["chat"], place["n"]), (CHAT, self.n))
        self.equal(self.page.evaluate("location.href"), f"{self.pages.origin}/page")
        self.page.close_page()
        self.page.use_page(0)
        self.wait(self.titles, [])

    def show(self, title, ww, user="alice"):
        """A notification as the worker has shown it."""
        self.page.evaluate(f"""(await navigator.serviceWorker.getRegistrations()).find(({{ scope }}) => scope.endsWith("={user}"))
            .showNotification({json.dumps(title)}, {{ body: {json.dumps(title)}, tag: {json.dumps(title)}, data: {{ ww: {json.dumps(ww)} }} }})""")

    def focuses(self):
        self.open("?from=here")
        self.show("press me", {"id": "m7", "chat": CHAT, "n": 7})
        self.page.click_alert("press me")
        self.page.wait_for("opened.length === 1")
        self.equal(self.page.evaluate("opened[0]"), {"id": "m7", "chat": CHAT, "n": 7})
        self.equal(len(self.page.call("WebDriver:GetWindowHandles")), 1)

    def notification(self, title):
        admin = Caller(self.server, "operator", "admin")
        status, answer = admin.call("POST", "/v1/broadcasts", {"audience": "user:alice", "title": title, "body": "b", "level": "passive"})
        assert status == 202, answer
        self.wait(lambda: [one["title"] for one in self.alice.command(type="notifications")["ok"]["notifications"]][:1], [title])
        return self.alice.command(type="notifications")["ok"]["notifications"][0]

    def closed(self):
        n, row, other = self.write("read me"), self.notification("see me"), self.notification("see me, too")
        self.page.wait_for("ww.inbox.list().then(list => list.notifications[0].title === 'see me, too')")
        where = {"epoch": "e"}
        self.show("a message", {**where, "id": "m1", "chat": CHAT, "n": n})
        self.show("a later one", {**where, "id": "m2", "chat": CHAT, "n": n + 1})
        for one in (row, other):
            self.show(one["title"], {**where, "id": one["id"], "seq": one["seq"]})
        self.alice.command(type="read", chat=CHAT, n=n, key="r1")
        self.wait(self.titles, ["a later one", "see me", "see me, too"])
        self.alice.command(type="seen", ids=[row["id"]], key="s1")
        self.wait(self.titles, ["a later one", "see me, too"])
        self.alice.command(type="seen", upTo=other["seq"], key="s2")
        self.wait(self.titles, ["a later one"])

    def swept(self):
        n, row, kept = self.write("read me"), self.notification("to see"), self.notification("to keep")
        epoch = self.page.evaluate("ww.core.engine.cursor.epoch")
        self.page.wait_for(f"ww.core.engine.cursor.seq >= {kept['seq']}")
        self.show("read", {"epoch": epoch, "id": "m3", "seq": 1, "chat": CHAT, "n": n})
        self.show("hidden message", {"epoch": epoch, "id": "m4", "seq": 1})
        self.show("seen", {"epoch": epoch, "id": row["id"], "seq": row["seq"]})
        self.show("kept", {"epoch": epoch, "id": kept["id"], "seq": kept["seq"]})
        self.show("of tomorrow", {"epoch": epoch, "id": "n99999999", "seq": 99999999})
        self.page.open(f"{self.pages.origin}/empty")
        self.alice.command(type="read", chat=CHAT, n=n, key="r2")
        self.alice.command(type="seen", ids=[row["id"]], key="s3")
        self.open()
        self.wait(self.titles, ["kept", "of tomorrow"])  # the later one was the message that is read now

    def compared(self):
        admin = Caller(self.server, "operator", "admin")
        _, listed = admin.call("GET", "/v1/push/devices?user=alice")
        status, _ = admin.call("DELETE", f"/v1/push/devices/{listed['devices'][0]['id']}")
        assert status < 300, status
        self.equal(self.devices(), [])
        self.open()
        self.wait(self.devices, ["webpush"])
        self.equal(self.page.evaluate("ww.push.state"), "on")

    def subscription(self, user="alice"):
        return self.page.evaluate(f"""(await (await navigator.serviceWorker.getRegistrations()).find(({{ scope }}) => scope.endsWith("={user}"))
            ?.pushManager.getSubscription())?.endpoint""")

    def registered_at(self):
        """The end of the endpoint under which the server pushes to alice now."""
        before = len(self.service.posts)
        Caller(self.server, "operator", "admin").call("POST", "/v1/push/test", {"user": "alice", "title": "t", "body": "b"})
        self.wait(lambda: len(self.service.posts) > before, True)
        return self.service.posts[-1].channel

    def resubscribed(self):
        before = self.subscription()
        self.page.evaluate("""(await (await navigator.serviceWorker.getRegistrations())[0].pushManager.getSubscription()).unsubscribe()""")
        self.open()
        self.page.wait_for(f"ww.core.pushes.row.endpoint !== {json.dumps(before)}")
        self.wait(self.registered_at, self.subscription().rsplit("/", 1)[1])

    def end_subscription(self):
        self.page.chrome("""const [scope, origin] = arguments;
            const principal = Services.scriptSecurityManager.createContentPrincipalFromOrigin(origin);
            const service = Cc["@mozilla.org/push/Service;1"].getService(Ci.nsIPushService);
            return new Promise(resolve => service.unsubscribe(scope, principal, { onUnsubscribe() {
              Cc["@mozilla.org/push/Notifier;1"].getService(Ci.nsIPushNotifier).notifySubscriptionChange(scope, principal);
              resolve(true);
            } }));""", f"{self.pages.origin}/sdk/?user=alice", self.pages.origin)

    def renewed(self):
        before = self.subscription()
        self.end_subscription()
        self.page.wait_for(f"ww.core.pushes.row.endpoint && ww.core.pushes.row.endpoint !== {json.dumps(before)}", seconds=15)
        self.wait(self.registered_at, self.subscription().rsplit("/", 1)[1])

    def renewed_alone(self):
        before = self.subscription()

        def registered():
            return [one["at"] for one in self.alice.command(type="devices")["ok"]["devices"]]
        earlier = registered()
        self.page.open(f"{self.pages.origin}/empty")
        self.end_subscription()
        self.wait(lambda: self.subscription() not in (before, None), True)
        # A push before that would end what the server knows of this device.
        self.wait(lambda: registered() != earlier, True)
        self.wait(self.registered_at, self.subscription().rsplit("/", 1)[1])

    def two_people(self):
        self.open("?user=bob")
        self.page.wait_for("ww.push.state === 'off'")
        self.click_on()
        self.equal((self.devices(), self.devices(self.bob)), (["webpush"], ["webpush"]))
        self.page.evaluate("ww.push.disable()")
        self.equal((self.devices(), self.devices(self.bob)), (["webpush"], []))
        self.equal(self.page.evaluate("ww.push.state"), "off")

    def badge(self):
        self.open()
        self.page.evaluate("""(window.badges = [], navigator.setAppBadge = async count => void badges.push(count), navigator.clearAppBadge = async () => void badges.push(0),
            ww.unread.watch(({ value }) => (window.counts = value.confirmed)), 0)""")
        same = "badges.at(-1) === counts.chats + counts.notifications"
        n, row = self.write("one more"), self.notification("and a notification")
        self.page.wait_for("ww.inbox.list().then(list => list.notifications[0].title === 'and a notification')")
        self.page.wait_for(f"counts?.chats === 1 && counts.notifications > 0 && {same}")
        self.alice.command(type="read", chat=CHAT, n=n, key="r9")
        self.page.wait_for(f"counts.chats === 0 && {same}")
        self.alice.command(type="seen", upTo=row["seq"], key="s9")
        self.page.wait_for("badges.at(-1) === 0")

    def left_over(self):
        self.open("?user=bob")
        self.click_on()
        self.show("still on the screen", {"id": "m9", "chat": CHAT, "n": 1}, "bob")
        channel = self.subscription("bob")
        assert channel, "bob has a subscription"
        # As without a network: neither the browser nor the server takes the end of it.
        self.page.evaluate("(PushSubscription.prototype.unsubscribe = () => Promise.reject(new Error('no network')), 0)")
        self.page.evaluate("ww.signOut({ force: true }).then(() => 0)")
        self.equal(self.page.evaluate("Object.keys(localStorage).filter(name => name.endsWith(':push')).length"), 1)
        assert "still on the screen" not in self.titles(), self.titles()
        self.equal(self.subscription("bob"), channel)
        self.open()
        self.page.wait_for("Object.keys(localStorage).every(name => !name.endsWith(':push'))")
        self.equal(self.subscription("bob"), None)
        self.equal(self.page.evaluate("(await navigator.serviceWorker.getRegistrations()).length"), 1)

    def signed_out(self):
        self.open()
        channel = self.subscription().rsplit("/", 1)[1]
        self.show("for alice's eyes", {"id": "m10", "chat": CHAT, "n": 1})
        self.page.evaluate("ww.signOut()")
        self.equal(self.devices(), [])
        assert channel in self.service.ended, self.service.ended
        self.equal(self.page.evaluate("(await navigator.serviceWorker.getRegistrations()).length"), 0)

    # Chromium: pushes from the developer tools

    def chromium(self):
        browser = Browser()
        try:
            page = self.page = browser.open(f"{self.pages.origin}/page?from=chromium")
            browser.call("Browser.grantPermissions", origin=self.pages.origin, permissions=["notifications"], browserContextId=page.context)
            page.call("ServiceWorker.enable")
            page.wait_for("window.ww?.state.name === 'live'", seconds=20)
            self.check("where the browser cannot subscribe, enable() says so, and leaves no worker", self.cannot)
            page.call("Page.navigate", url=f"{self.pages.origin}/empty")
            for name, file in (("worker", "/sdk/watchwise-worker.js"), ("own worker", "/own-worker.js")):
                page.wait_for(f"""(async () => (window.registration = await navigator.serviceWorker.register({json.dumps(file)})
                    ) && await new Promise(done => setInterval(() => registration.active?.state === "activated" && done(true), 20)))()""")
                self.scope = page.evaluate("registration.scope")
                self.check(f"{name}: a push is shown with its words; critical ones stay; gone tags close", self.worker_shows)
            self.check("own worker: another sender's push is the app's", lambda: (self.push("no JSON"), self.wait_shown(("of the app", ""))))
            page.evaluate("navigator.serviceWorker.getRegistration('/sdk/').then(one => { window.registration = one; return 0; })")
            self.scope = page.evaluate("registration.scope")
            self.check("worker: a foreign or broken push shows something", self.foreign)
        finally:
            browser.close()

    def cannot(self):
        code = self.page.evaluate("ww.push.enable().catch(error => error.code)")
        self.equal(code, "push-unavailable")
        self.equal(self.page.evaluate("navigator.serviceWorker.getRegistrations().then(list => list.length)"), 0)
        self.equal(self.devices(), [])

    def push(self, data):
        self.page.call("ServiceWorker.deliverPushMessage", origin=self.pages.origin, data=data, registrationId=self.page.workers[self.scope])
        time.sleep(0.2)  # Chromium loses a notification that is listed while it is on its way to the screen

    def wait_shown(self, *wanted):
        self.wait(lambda: sorted(map(tuple, self.page.evaluate(
            "registration.getNotifications().then(list => list.map(one => [one.title, one.tag]))"))), sorted(wanted))

    def worker_shows(self):
        self.push(envelope("T1", chat=CHAT, n=3))
        self.wait_shown(("A title", "T1"))
        self.equal(self.page.evaluate("registration.getNotifications().then(([{ data, lang }]) => [data.ww.chat, data.ww.n, lang])"), [CHAT, 3, "it"])
        self.push(envelope("T2", "Avalanche", level="critical"))
        self.wait_shown(("A title", "T1"), ("Avalanche", "T2"))
        self.equal(self.page.evaluate("""registration.getNotifications().then(list => list.map(one => [one.tag, one.requireInteraction]).sort())"""),
                   [["T1", False], ["T2", True]])
        self.push(envelope("T3", "Later", gone=["T1", "T9"]))
        self.wait_shown(("Avalanche", "T2"), ("Later", "T3"))
        self.push(envelope("T3", "A secret", exp="2020-01-01T00:00:00.000Z"))
        self.wait_shown(("Avalanche", "T2"), ("Nuova notifica", "T3"))
        self.page.evaluate("registration.getNotifications().then(list => list.forEach(one => one.close()))")

    def foreign(self):
        texts = ["", "no JSON", "[]", "null", "7", '{"notification":{"title":7,"tag":{},"lang":[]},"ww":5}',
                 '{"notification":null,"ww":{"gone":"T2","exp":{},"badge":-1,"id":[]}}', '{"ww":{"gone":[1,{},null],"badge":1e99}}']
        for number, text in enumerate(texts, 1):
            self.push(text)
            self.wait_shown(*[("New notification", "")] * number)

    def run(self):
        try:
            for part in (self.firefox, self.chromium):
                try:
                    part()
                except (PageError, AssertionError, OSError) as error:
                    self.check(f"{part.__name__} ran to its end", lambda error=error: self.fail(error))
        finally:
            Server.end_all()
            self.service.close()
            self.pages.close()
        self.checks.last_line()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="watchwise-sdk-push-") as folder:
        Suite(os.path.abspath(sys.argv[1]), folder).run()
