"""Somebody's computer: the demo's page in Firefox, which subscribes at the push service. The server itself posts there what
happens in the demo, and the browser shows it."""

import base64
import dataclasses
import json
import os
import secrets
import subprocess
import time

from browser import PageError
from notified import BUTTON, CHAT, CONNECTED, Notified, payload

WEEK = 7 * 24 * 3600  # how long a push service keeps a message, in seconds
FILM = {"id": "movie/329865", "title": "Arrival"}


@dataclasses.dataclass
class Person:
    user: str
    language: str
    ask: str  # the words of the button
    end: str
    other: str  # with whom the person talks
    author: str  # the name of the other, as the page knows it
    asks: str  # a message of the other
    recommends: str
    anything: str  # what stands for a notification that cannot be shown
    another_chat: str


PEOPLE = (
    Person("anna", "en", "Notify me on this computer", "No notifications on this computer", "marco", "Marco",
           "Have you seen anything good?", "Marco recommends Arrival", "New notification", "anna:sofia"),
    Person("marco", "it", "Avvisami su questo computer", "Niente avvisi su questo computer", "anna", "Anna",
           "Hai visto qualcosa di bello?", "Anna ti consiglia Arrival", "Nuova notifica", "giulia:marco"),
)


class Computer(Notified):
    """The story of the demo goes on, and pushes, too: the checks look at the tags of what they have caused."""

    def __init__(self, trial, server, firefox, service, person):
        super().__init__(trial, server, person.user)
        self.page, self.service, self.person = firefox, service, person
        self.subscription = self.channel = None
        self.tag = None  # of the messages of the chat
        self.sealer = os.path.join(os.path.dirname(server.binary), "watchwise-seal")

    def run(self):
        def check(sentence, work):
            self.trial.check(f"pushes to {self.person.user}: {sentence}", work)
        check("a click subscribes with the server's key, and the device is registered", self.subscribed)
        if self.channel is None:
            return
        check("the page is closed: a message is shown with its author and text", self.message)
        check("the next message replaces it", self.replaced)
        check("a click opens the page at the chat", self.clicked)
        check("what is read on another device is closed by the next push, which speaks the language", self.taken_back)
        check("what has expired, and what is not ours, shows nothing of its content", self.foreign)
        check("the page closes what is not in the inbox any more, and leaves what is", self.closed_by_page)
        check("the page is open and somebody looks: nothing is pushed", self.looked_at)
        check("another session takes the registration over", self.taken_over)
        check("a second click ends the subscription and the registration, and nothing is pushed", self.ended)
        check("the push service has refused nothing", self.nothing_refused)

    def subscribed(self):
        self.page.open(f"{self.address}#settings")
        self.page.wait_for(CONNECTED, seconds=20)
        self.page.wait_for(f"{BUTTON}?.textContent === {json.dumps(self.person.ask)}")
        self.page.click("#notify")
        # The page gives up after 15 s.
        settled = f"{BUTTON}.dataset.state === 'on' || !document.querySelector('#alert').hidden"
        self.page.wait_for(settled, seconds=20)
        if self.page.evaluate(f"{BUTTON}.dataset.state") != "on":
            # Firefox at times ends a worker while it is new. The page says so, and a person clicks again.
            print(f"        clicked again: {self.page.evaluate('document.querySelector(`#alert`).textContent')}", flush=True)
            self.page.click("#notify")
        self.page.wait_for(f"{BUTTON}.dataset.state === 'on'", seconds=20)
        assert self.page.evaluate(f"{BUTTON}.textContent") == self.person.end
        self.subscription = self.page.evaluate(f"(await ({self.registration}).pushManager.getSubscription()).toJSON()")
        self.channel = self.subscription["endpoint"].rsplit("/", 1)[1]
        key = self.server.get("/v1/push/key")["webpush"]
        assert self.service.keys[self.channel] == key, (self.service.keys, key)
        assert [one["platform"] for one in self.devices()] == ["webpush"], self.devices()
        self.page.open(self.elsewhere)

    def message(self):
        text = self.person.asks
        self.write(text)
        self.tag = self.wait_for_message(text)
        self.page.alert_screenshot(text, os.path.join(self.trial.folder, f"10-notification-{self.person.language}.png"))
        self.check_post(1)

    def replaced(self):
        text = "Shall we go to the cinema?"
        self.write(text)
        assert self.wait_for_message(text) == self.tag
        self.check_post(2)

    def clicked(self):
        self.page.click_alert("Shall we go to the cinema?")
        self.page.wait_for_pages(2)
        self.page.use_page(1)
        self.page.wait_for(CONNECTED, seconds=20)
        self.page.wait_for(f"document.querySelector('#peer').textContent === {json.dumps(self.person.author)}")
        assert self.page.evaluate("location.href") == f"{self.address}#chats/{CHAT}"
        self.page.close_page()
        self.page.use_page(0)
        self.wait_until(lambda shown: self.tag not in [one["tag"] for one in shown])

    def taken_back(self):
        n = self.write("At eight?")
        assert self.wait_for_message("At eight?") == self.tag
        tablet = self.server.connect(self.person.user, "tablet")
        tablet.command(type="read", chat=CHAT, n=n, key=secrets.token_hex(8))
        tablet.close()
        note = "You will like the ending."
        self.server.command(self.person.other, type="recommend", to=self.person.user, product=FILM, note=note,
                            key=secrets.token_hex(8))
        wanted = (self.person.recommends, note, self.person.language)
        self.wait_until(lambda shown: wanted in [(one["title"], one["body"], one["lang"]) for one in shown]
                        and self.tag not in [one["tag"] for one in shown])
        self.page.alert_screenshot(note, os.path.join(self.trial.folder, f"10-recommendation-{self.person.language}.png"))

    def foreign(self):
        self.deliver(payload(self.address, "A secret", "expired", "At nine", self.person.language,
                             exp="2020-01-01T00:00:00.000Z"))
        self.wait_until(lambda shown: [self.person.anything] == [one["title"] for one in shown if one["tag"] == "expired"])
        # The browser speaks English.
        for count, text in enumerate(("no JSON", '{"notification":{"title":7,"tag":{},"lang":[]},"ww":5}'), 1):
            self.deliver(text)
            self.wait_until(lambda shown: ["New notification"] * count == [one["title"] for one in shown if not one["tag"]])

    def closed_by_page(self):
        tablet = self.server.connect(self.person.user, "tablet")
        epoch = tablet.hello["epoch"]
        tablet.close()
        unseen = next(one for one in self.server.command(self.person.user, type="notifications")["notifications"] if not one["seen"])
        self.deliver(payload(self.address, "There", "there", epoch=epoch, seq=unseen["seq"], id=unseen["id"]))
        self.deliver(payload(self.address, "Not there", "not-there", epoch=epoch, seq=1, id="n999999"))
        self.wait_until(lambda shown: {"there", "not-there"} <= {one["tag"] for one in shown})
        self.page.open(f"{self.address}#settings")
        self.wait_until(lambda shown: "not-there" not in [one["tag"] for one in shown])
        assert "there" in [one["tag"] for one in self.shown()], self.shown()

    def looked_at(self):
        self.page.open(f"{self.address}#chats")
        self.page.wait_for(CONNECTED, seconds=20)
        # In the chat itself the message would be read, too.
        self.page.wait_for("document.querySelector('#chats [aria-current=true]') !== null")
        self.page.click(f'[data-chat="{self.person.another_chat}"]')
        self.page.bring_to_front()
        self.page.wait_for("document.hasFocus() && document.visibilityState === 'visible'")
        before, text = len(self.service.posted(self.channel, self.tag)), "Where are you?"
        self.write(text)
        self.page.wait_for(f"document.querySelector('[data-chat=\"{CHAT}\"] small').textContent === {json.dumps(text)}")
        job = self.wait_for_job()
        tries = self.server.administer(f"push/jobs/{job['id']}")["tries"]
        assert [(one["state"], one["answer"]) for one in tries] == [("skipped", "on-screen")], tries
        assert len(self.service.posted(self.channel, self.tag)) == before

    def taken_over(self):
        before = self.devices()
        # A store that is deleted is a device that is forgotten. A page that has it open would make it again.
        self.page.open(self.elsewhere)
        self.page.evaluate("await new Promise(async done => { for (const { name } of await indexedDB.databases()) {"
                           " const gone = indexedDB.deleteDatabase(name); await new Promise(next => gone.onsuccess = next); } done(); })")
        self.page.open(f"{self.address}#settings")
        self.page.wait_for(f"{BUTTON}?.dataset.state === 'on'", seconds=20)
        after = self.devices()
        assert len(after) == 1 and after[0]["device"] != before[0]["device"], (before, after)

    def ended(self):
        self.page.click("#notify")
        self.page.wait_for(f"{BUTTON}.dataset.state === 'off' && !{BUTTON}.disabled")
        assert self.devices() == [], self.devices()
        assert self.channel in self.service.ended, self.service.ended
        assert self.page.evaluate(f"({self.registration}) === undefined")
        self.page.open("about:blank")
        # A job is written in the commit of its message.
        before = self.newest_job()
        self.write("Hello?")
        assert self.newest_job() == before, self.newest_job()

    def nothing_refused(self):
        assert not self.service.refused, self.service.refused

    def devices(self):
        return self.server.command(self.person.user, type="devices")["devices"]

    def write(self, text):
        """The other person writes to this one; returns the message's number."""
        return self.server.command(self.person.other, type="send", to=self.person.user, text=text,
                                   key=secrets.token_hex(8))["n"]

    def deliver(self, text):
        """What another sender than the server would post."""
        plaintext = base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()
        request = json.dumps({"do": "seal", "plaintext": plaintext, **self.subscription["keys"]})
        sealed = subprocess.run([self.sealer], input=request + "\n", capture_output=True, text=True, timeout=10, check=True)
        body = json.loads(sealed.stdout)["body"]
        self.service.deliver(self.channel, base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))

    def check_post(self, count):
        """The newest of so many posts of the chat is as a message's is."""
        posts = self.service.posted(self.channel, self.tag)
        assert len(posts) == count, [vars(one) for one in posts]
        assert posts[-1].urgency == "normal" and WEEK - 60 < posts[-1].lifetime <= WEEK, vars(posts[-1])
        self.service.wait_for_opened(posts[-1])

    def shown(self):
        return self.page.evaluate(f"(await ({self.registration}).getNotifications()).map("
                                  "({ title, body, lang, tag, data }) => ({ title, body, lang, tag, chat: data?.ww?.chat }))")

    def wait_until(self, is_right, seconds=10):
        """Waits until what is on the screen is right; returns it."""
        deadline = time.monotonic() + seconds
        while not is_right(shown := self.shown()):
            if time.monotonic() > deadline:
                raise PageError(f"shown after {seconds} s: {json.dumps(shown)}")
            time.sleep(0.05)
        return shown

    def wait_for_message(self, text):
        """Waits until a message is the only one of its chat on the screen; returns its tag."""
        wanted = [(self.person.author, text)]

        def of_chat(shown):
            return [one for one in shown if one["chat"] == CHAT]

        shown = self.wait_until(
            lambda shown: [(one["title"], one["body"]) for one in of_chat(shown)] == wanted)
        return of_chat(shown)[0]["tag"]

    def newest_job(self):
        """The newest push job of the chat."""
        return next(one for one in self.server.administer("push/jobs")["jobs"] if one.get("chat") == CHAT)

    def wait_for_job(self, seconds=10):
        """Waits until the newest push job of the chat is over; returns it."""
        deadline = time.monotonic() + seconds
        while (job := self.newest_job())["state"] != "ended":
            if time.monotonic() > deadline:
                raise PageError(f"not over within {seconds} s: {job}")
            time.sleep(0.1)
        return job
