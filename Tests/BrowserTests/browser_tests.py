"""Two people talk through the demo's page; the server is killed under them. Prints "N passed, M failed"."""

import argparse
import json
import os
import pty
import subprocess
import sys
import time

from accessibility import Accessibility
from archives import Archives
from browser import Browser, PageError
from chats import Chats
from inboxes import try_inboxes
from profiles import Profiles
from pushes import try_pushes
from rooms import Rooms
from server import DemoServer

from Trials import verdict

CHAT = "anna:marco"
CONNECTED = "document.body.dataset.connection === 'live'"
LAST = "[...document.querySelectorAll('.message')].at(-1)"


def row(chat=CHAT):
    return f'[data-chat="{chat}"]'


def texts(text):
    """How many messages on the screen have exactly this text."""
    return ("[...document.querySelectorAll('.message .text')]"
            f".filter(one => one.textContent === {json.dumps(text)}).length")


def state_of(text):
    return ("[...document.querySelectorAll('.message')]"
            f".find(one => one.querySelector('.text')?.textContent === {json.dumps(text)})"
            "?.dataset.state")


class Trial:
    def __init__(self, server, browser, folder, checks):
        self.verdict = checks
        self.server = server
        self.browser = browser
        self.folder = folder

    def check(self, sentence, work):
        """One line per check; a failure leaves pictures of both pages and does not stop the others."""
        if self.verdict.tries(sentence, work, PageError):
            self.picture(f"failed-{self.verdict.failed}")

    def picture(self, name):
        for who in ("anna", "marco"):
            try:
                getattr(self, who).screenshot(os.path.join(self.folder, f"{name}-{who}.png"))
            except (AttributeError, PageError) as error:
                print(f"        no picture of {who}: {error}", flush=True)

    def run(self):
        self.anna = self.browser.open(f"{self.server.page}?user=anna#chats")
        self.marco = self.browser.open(f"{self.server.page}?user=marco#chats")
        self.check("both pages connect", self.both_connect)
        self.check("each page speaks its user's language", self.languages)
        self.check("documents that are asked for before the library is open are there once it is", self.early)
        self.check("a message shows as unread in the other's list", self.first_message)
        self.picture("1-unread")
        self.check("opening the chat reads it, and the sender sees that", self.reading)
        self.check("an answer, sent by the keyboard, arrives", self.answer)
        self.check("markup in a message stays text", self.markup)
        self.check("the other is shown as online", self.online)
        self.check("writing shows in the other's page and ends", self.typing)
        self.picture("2-talk")
        self.check("a film is recommended from the list and not seen yet", self.recommend)
        self.check("the notification counts on the bell and leads into the chat", self.notification)
        self.check("the sender sees that the recommendation is seen", self.seen)
        self.picture("3-recommendation")
        self.check("that a recommendation was read does not say that the film was watched; that it was watched does", self.watched)
        self.check("all notifications can be marked as seen", self.seen_all)
        self.check("a review is written, and stands in the feed of a follower", self.review)
        self.check("a director is followed with one button, and the server knows it", self.follow)
        self.check("another language is chosen, and the page speaks it at once", self.another_language)
        self.check("quiet hours are chosen, and the server has them", self.quiet_hours)
        Chats(self).run()
        Rooms(self).run()
        self.check("when the server dies both pages say that they reconnect", self.killed)
        self.check("a message written meanwhile waits in the page", self.written_while_down)
        self.picture("4-down")
        self.check("both pages resume by themselves, without a reload", self.resumed)
        self.check("the message written meanwhile is delivered once", self.delivered_once)
        self.check("messages sent around a second kill are there once, in order", self.sent_around_a_kill)
        self.picture("5-resumed")
        self.check("after a reload the conversation is there again", self.reloaded)
        self.check("without a server a reload shows the page and its lists, and what is written then is delivered", self.offline)
        Archives(self).run()
        Profiles(self).run()
        self.check("the page can be installed: a manifest with an icon, and a worker that controls it", self.installable)
        self.check("on a phone's width nothing overflows, and one can go back", self.phone)
        self.check("the page has a dark face", self.dark)
        self.check("without a user two panes stand side by side, both connected", self.panes)
        self.check("the page says what it is, opens a conversation in each pane, and names people", self.first_sight)
        self.check("names of any script and length stay in their places on a phone, and turn no text around", self.names)
        self.check("a new season of a series comes out, and its follower is notified", self.season)
        Accessibility(self, self.server.page, "film-network").check(
            ("home", ".feedItem"), ("chats/anna:marco", ".message"), ("people", ".follow"), ("films", ".tile"),
            ("film/movie%2F329865", ".hero"), ("user/anna", "#about-me"), ("person/525", ".tile"),
            (f"room/{self.room}", "#members"), ("chats/room:of-others", "#closed"), ("inbox", ".note"),
            ("settings", "#language"), user="anna")
        Accessibility(self, self.server.page, "film-network-panes").check(("", "#about"))
        self.check("in a terminal the page's address stays in sight", self.address_stays)
        self.check("no page reported an error", self.no_errors)
        self.check("SIGTERM ends the server with exit 0", self.stopped)

    def both_connect(self):
        for page in (self.anna, self.marco):
            page.wait_for(CONNECTED, seconds=20)
            page.evaluate("window.neverReloaded = true")

    def languages(self):
        for page, user in ((self.anna, "anna"), (self.marco, "marco")):
            people = self.server.get(f"/demo/session?user={user}")["people"]
            locale = next(person["locale"] for person in people if person["id"] == user)
            page.wait_for(f"document.documentElement.lang === {json.dumps(locale[:2])}")

    def early(self):
        # Any page of the server will do, as long as it is not an application: the session's module is taken by itself.
        page = self.browser.open(f"{self.server.page}/worker.js")
        page.wait_for("document.readyState === 'complete'")
        page.evaluate("history.replaceState(null, '', '/demo?user=anna&device=early');"
                      "document.body.innerHTML = '<p id=announce></p><p id=alert></p>'")
        page.evaluate("import('/demo/shell/here.js').then(async module => { window.session = module;"
                      " session.here.stage = await session.stage(); session.collection('users'); await session.begin({}); })")
        page.wait_for("session.collection('users').length === session.here.stage.people.length")
        page.close()

    def first_message(self):
        # Each page opens its newest conversation once. This must happen before the message; otherwise it is this one, and read at once.
        for page in (self.anna, self.marco):
            page.wait_for("document.querySelector('#chats [aria-current=true]') !== null")
        before = self.marco.evaluate(f"Number(document.querySelector('{row()}')?.dataset.unread ?? 0)")
        self.anna.click(row())
        self.send(self.anna, "Have you seen anything good?")
        self.anna.wait_for(f"['sent', 'delivered'].includes({state_of('Have you seen anything good?')})")
        self.marco.wait_for(f"Number(document.querySelector('{row()}').dataset.unread) === {before + 1}")
        self.marco.wait_for(f"document.querySelector('{row()} .badge').textContent === '{before + 1}'")
        self.marco.wait_for(f"document.querySelector('{row()}').textContent.includes('anything good')")

    def reading(self):
        self.marco.click(row())
        self.marco.wait_for(f"{texts('Have you seen anything good?')} === 1")
        self.marco.wait_for(f"document.querySelector('{row()}').dataset.unread === '0'")
        self.anna.wait_for(f"{state_of('Have you seen anything good?')} === 'read'")

    def answer(self):
        self.send(self.marco, "Sì, ieri sera.")
        self.anna.wait_for(f"{texts('Sì, ieri sera.')} === 1")
        self.marco.wait_for(f"{state_of('Sì, ieri sera.')} === 'read'")

    def markup(self):
        text = "<b>bold</b> & <img src=x onerror=alert(1)>"
        self.send(self.anna, text)
        self.marco.wait_for(f"{texts(text)} === 1")
        assert self.marco.evaluate("document.querySelector('#messages img, #messages b') === null")

    def online(self):
        self.anna.wait_for("document.querySelector('#peer-avatar').dataset.online === 'true'")

    def typing(self):
        self.marco.type("#text", "Un momento")
        self.anna.wait_for("document.querySelector('#peer-state').dataset.typing === 'true'")
        self.marco.evaluate("document.querySelector('#text').value = '';"
                            "document.querySelector('#text').dispatchEvent(new Event('input'))")
        self.anna.wait_for("document.querySelector('#peer-state').dataset.typing === 'false'")

    def recommend(self):
        self.marco.click("#back")
        self.anna.click("#recommend")
        self.anna.wait_for("document.querySelector('#films').open")
        self.anna.click("#film-list input")
        self.anna.type("#film-note", "You will like the ending.")
        self.anna.screenshot(os.path.join(self.folder, "3-films-anna.png"))
        self.anna.click("#film-send")
        self.anna.wait_for(f"{LAST}.querySelector('[data-seen]')?.dataset.seen === 'false'")
        self.anna.wait_for(f"['sent', 'delivered'].includes({LAST}.dataset.state)")
        self.marco.wait_for(f"Number(document.querySelector('{row()}').dataset.unread) > 0")

    def notification(self):
        self.marco.wait_for("Number(document.querySelector('#bell-count').textContent) > 0")
        self.marco.click("#bell")
        self.marco.wait_for("document.querySelector('#notifications [data-kind=recommendation]') !== null")
        self.marco.screenshot(os.path.join(self.folder, "3-notifications-marco.png"))
        self.marco.click("#notifications [data-kind=recommendation] .plain")
        self.marco.wait_for(f"{LAST}?.querySelector('[data-seen]') != null")

    def seen(self):
        self.anna.wait_for(f"{LAST}.querySelector('[data-seen]').dataset.seen === 'true'")
        self.marco.wait_for(f"{LAST}.querySelector('[data-seen]').dataset.seen === 'true'")

    def watched(self):
        last = f"{LAST}.querySelector('[data-seen]')"
        assert self.anna.evaluate(f"{last}.dataset.watched") == "false"
        self.anna.wait_for(f"{last}.textContent.includes('Recommendation read')")
        assert not self.anna.evaluate(f"{last}.textContent.includes('watched')")
        self.marco.evaluate(f"{last}.querySelector('button').click()")
        self.marco.wait_for("document.querySelector('#watched-dialog').open")
        self.marco.evaluate("document.querySelector('#watched-dialog [value=\"4.5\"]').click()")
        self.marco.screenshot(os.path.join(self.folder, "3-watched-marco.png"))
        self.marco.click("#watched-dialog-send")
        self.anna.wait_for(f"{last}.dataset.watched === 'true' && {last}.textContent.includes('Marco has watched it')")

    def review(self):
        self.marco.evaluate("location.hash = '#film/movie%2F329865'")
        self.marco.click(".titleRow button")
        self.marco.evaluate("document.querySelector('#review-dialog [value=\"5\"]').click()")
        self.marco.type("#review-dialog textarea", "Il tempo è una lingua.")
        self.marco.click("#review-dialog-send")
        self.anna.evaluate("location.hash = '#home'")
        self.anna.wait_for("[...document.querySelectorAll('.feedItem[data-kind=review]')]"
                           ".some(one => one.textContent.includes('Il tempo è una lingua.') && one.textContent.includes('Marco'))")
        self.anna.screenshot(os.path.join(self.folder, "3-feed-anna.png"))

    def follow(self):
        button = "document.querySelector('[data-topic=\"person:578\"]')"
        self.anna.evaluate("location.hash = '#people'")
        self.anna.wait_for(f"{button}?.getAttribute('aria-pressed') === 'false'")
        self.anna.evaluate(f"{button}.click()")
        self.anna.wait_for(f"{button}.getAttribute('aria-pressed') === 'true' && !{button}.querySelector('.pending')")
        assert "person:578" in self.server.command("anna", type="following")["topics"]
        self.anna.evaluate(f"location.hash = '#chats/{CHAT}'")

    def another_language(self):
        self.marco.evaluate("location.hash = '#settings'")
        for language, title in (("de", "Einstellungen"), ("it", "Opzioni")):
            self.marco.wait_for("document.querySelector('#language') !== null")
            self.marco.evaluate(f"document.querySelector('#language').value = '{language}';"
                                "document.querySelector('#language').dispatchEvent(new Event('change'))")
            self.marco.wait_for(f"document.documentElement.lang === '{language}' && document.querySelector('h1').textContent === '{title}'")
            self.wait_until(lambda: self.preferences()["locale"] == language)
        self.marco.evaluate(f"location.hash = '#chats/{CHAT}'")

    def quiet_hours(self):
        self.marco.evaluate("location.hash = '#settings'")
        self.marco.click("#quiet")
        self.marco.wait_for("document.querySelector('#quiet-from').value === '22:00'")
        self.marco.evaluate("document.querySelector('#quiet-to').value = '06:30';"
                            "document.querySelector('#quiet-to').dispatchEvent(new Event('change'))")
        self.wait_until(lambda: self.preferences()["quietHours"] == {"from": "22:00", "to": "06:30"})
        assert self.preferences()["timeZone"]
        self.marco.click("#quiet")
        self.wait_until(lambda: self.preferences()["quietHours"] is None)
        self.marco.evaluate(f"location.hash = '#chats/{CHAT}'")

    def preferences(self):
        return self.server.command("marco", type="preferences")

    def wait_until(self, is_so, seconds=10):
        """The page shows a change before the server has it."""
        deadline = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < deadline, f"not so within {seconds} s"
            time.sleep(0.05)

    def seen_all(self):
        self.marco.click("#bell")
        self.marco.click("#seen-all")
        self.marco.wait_for("document.querySelector('#bell-count').hidden && document.querySelector('#seen-all').hidden")
        self.marco.evaluate("location.hash = '#chats'")

    def killed(self):
        self.server.kill()
        for page in (self.anna, self.marco):
            page.wait_for("document.body.dataset.connection === 'waiting'")

    def written_while_down(self):
        self.send(self.anna, "Written while the server was down.")
        self.anna.wait_for(f"{state_of('Written while the server was down.')} === 'pending'")

    def resumed(self):
        self.server.start()
        for page in (self.anna, self.marco):
            page.wait_for(CONNECTED, seconds=40)
            assert page.evaluate("window.neverReloaded === true"), "the page was loaded again"

    def delivered_once(self):
        self.marco.wait_for(f"{texts('Written while the server was down.')} >= 1", seconds=20)
        self.anna.wait_for(f"{state_of('Written while the server was down.')} === 'read'")
        self.send(self.anna, "And one after it.")
        self.marco.wait_for(f"{texts('And one after it.')} === 1")
        for page in (self.anna, self.marco):
            for text in ("Written while the server was down.", "And one after it."):
                count = page.evaluate(texts(text))
                assert count == 1, f"{text!r} stands {count} times on the page"
            page.wait_for("(box => box.scrollHeight - box.scrollTop - box.clientHeight < 2)(document.querySelector('#scroller'))")

    def sent_around_a_kill(self):
        written = [f"Around the kill {number}." for number in range(8)]
        for number, text in enumerate(written):
            self.send(self.anna, text)
            if number == 4:
                self.server.kill()
        self.server.start()
        self.marco.wait_for(f"{texts(written[-1])} >= 1", seconds=40)
        self.anna.wait_for(f"{state_of(written[-1])} === 'read'")
        for page in (self.anna, self.marco):
            found = page.evaluate("[...document.querySelectorAll('.message .text')].map(one => one.textContent)"
                                  ".filter(text => text.startsWith('Around the kill'))")
            assert found == written, f"on the page: {found}"

    def reloaded(self):
        self.anna.call("Page.reload")
        self.anna.wait_for(f"!window.neverReloaded && {CONNECTED}")
        self.anna.click(row())
        for text in ("Have you seen anything good?", "Written while the server was down.", "And one after it."):
            self.anna.wait_for(f"{texts(text)} === 1")

    def offline(self):
        self.anna.wait_for("navigator.serviceWorker.controller !== null")
        self.server.kill()
        self.anna.call("Page.reload")
        self.anna.wait_for("['waiting', 'connecting', 'offline'].includes(document.body.dataset.connection)", seconds=20)
        self.anna.wait_for(f"{texts('And one after it.')} === 1", seconds=20)
        self.send(self.anna, "Written after a reload without a server.")
        self.anna.wait_for(f"{state_of('Written after a reload without a server.')} === 'pending'")
        self.anna.screenshot(os.path.join(self.folder, "6-offline-anna.png"))
        self.server.start()
        self.anna.wait_for(CONNECTED, seconds=40)
        self.marco.wait_for(f"{texts('Written after a reload without a server.')} === 1", seconds=40)
        self.anna.wait_for(f"{state_of('Written after a reload without a server.')} === 'read'")

    def names(self):
        names = {"giulia": "مريم الزهراء بنت عبد الرحمن", "sofia": "X" * 60, "nora": "\u202eNora\u202d <b>",
                 "ben": "Ἀριστοτέλης-Konstantinos von und zu Łódź-Ñuñoa Пшеничников 映画館"}
        for user, name in names.items():
            self.server.command(user, type="patch", path=f"users/{user}", data={"name": name}, key=f"name-{user}")
        self.server.command("sofia", type="follow", topic="user:anna", key="name-follow")
        self.server.command("sofia", type="recommend", to="anna", product={"id": "movie/603", "title": "The Matrix"}, key="name-recommend")
        self.server.command("anna", type="room.update", chat=self.room, title="W" * 100, key="name-room")
        self.anna.resize(360, 720)
        for place, shown in (("people", ".follow"), ("chats", "#chats"), ("chats/anna:ben", "#peer"), ("home", ".feedItem"), ("user/ben", ".hero"), ("inbox", ".note"),
                             (f"room/{self.room}", "#members"), (f"chats/{self.room}", "#peer"), ("chats/room:of-others", "#closed")):
            self.anna.evaluate(f"location.hash = '#{place}'")
            self.anna.wait_for(f"document.querySelector('{shown}') !== null")
            if place == "people":
                self.anna.wait_for(f"document.querySelector('main').textContent.includes({json.dumps(names['ben'])})")
            if place == "inbox":
                self.anna.wait_for(f"document.querySelector('main').textContent.includes({json.dumps(names['sofia'])})")
            self.anna.wait_for("[document.documentElement, document.querySelector('main')].every(one => one.scrollWidth <= one.clientWidth)")
            assert not self.anna.evaluate(r"/[\u202a-\u202e]/.test(document.body.textContent)")
            self.anna.screenshot(os.path.join(self.folder, f"8-names-{place.split('/')[0]}.png"))
        self.anna.resize(640, 760)

    def season(self):
        self.anna.evaluate("location.hash = '#inbox'")
        # On a slow machine other seasons have come out since, and stand above it.
        self.anna.wait_for("[...document.querySelectorAll('#notifications [data-kind=season]')].some(one => one.textContent"
                           ".includes('Severance: season 3 begins'))", seconds=40)

    def installable(self):
        errors = self.anna.call("Page.getInstallabilityErrors")["installabilityErrors"]
        assert [one["errorId"] for one in errors] in ([], ["in-incognito"]), errors
        manifest = self.anna.call("Page.getAppManifest")
        assert not manifest["errors"] and json.loads(manifest["data"])["start_url"] == "../demo?user=anna", manifest
        size = self.anna.evaluate("new Promise((done, failed) => { const icon = new Image(); icon.onload = () => done(icon.width); icon.onerror = failed;"
                                  " icon.src = document.querySelector('link[rel=apple-touch-icon]').href; })")
        assert size == 180, size

    def phone(self):
        self.anna.resize(360, 720)
        self.anna.wait_for("innerWidth === 360 && document.documentElement.scrollWidth <= 360")
        self.anna.screenshot(os.path.join(self.folder, "6-phone-chat.png"))
        self.anna.wait_for("document.querySelector('#side').offsetWidth === 0")
        self.anna.click("#back")
        self.anna.wait_for("document.querySelector('#side').offsetWidth === 360 && !document.querySelector('.chatPage > .conversation').offsetWidth")
        self.anna.screenshot(os.path.join(self.folder, "6-phone-list.png"))
        self.anna.resize(640, 760)

    def dark(self):
        light = self.marco.evaluate("getComputedStyle(document.body).backgroundColor")
        self.marco.color_scheme("dark")
        self.marco.wait_for(f"getComputedStyle(document.body).backgroundColor !== {json.dumps(light)}")
        self.marco.screenshot(os.path.join(self.folder, "7-dark-marco.png"))
        self.marco.color_scheme("light")

    def panes(self):
        both = self.browser.open(self.server.page, width=1280, height=720)
        both.wait_for("document.querySelectorAll('iframe').length === 2", seconds=20)
        both.wait_for("[...document.querySelectorAll('iframe')]"
                      ".every(one => one.contentDocument?.body?.dataset.connection === 'live')", seconds=20)
        both.wait_for("[...document.querySelectorAll('iframe')]"
                      ".every(one => one.contentDocument.querySelector('#chats li') !== null)")
        both.screenshot(os.path.join(self.folder, "8-panes.png"))
        assert not both.errors, "; ".join(both.errors)

    def first_sight(self):
        both = self.browser.open(self.server.page, width=1280, height=800)
        frames = "[...document.querySelectorAll('iframe')].map(one => one.contentDocument)"
        both.wait_for(f"{frames}.length === 2 && {frames}.every(one => one?.querySelector('.message'))", seconds=20)
        both.wait_for(f"{frames}.every(one => one.querySelector('[aria-current=true]'))")
        about = both.evaluate("document.querySelector('#about').textContent")
        assert "WatchWise" in about and "Anna" in about and "Marco" in about, about
        links = both.evaluate("[...document.querySelectorAll('#panes a')].map(one => one.textContent)")
        assert links == ["Anna ↗", "Marco ↗"], links
        both.evaluate(f"{frames}.forEach(one => one.querySelector('#bell').click())")
        both.wait_for(f"{frames}.every(one => one.querySelector('#notifications [data-kind=follower] p'))")
        told = both.evaluate(f"{frames}.flatMap(one => [...one.querySelectorAll('#notifications li')].map(li => li.innerText))")
        ids = [one for one in told for name in ("giulia", "luca", "sofia", "ben ", "nora", "tom ") if name in one]
        assert told and not ids, f"ids among names: {ids}"
        both.screenshot(os.path.join(self.folder, "8-first-sight.png"))
        both.resize(390, 844)
        both.wait_for("document.querySelector('#about').offsetWidth <= 390 && document.documentElement.scrollWidth <= 390")
        both.wait_for("[...document.querySelectorAll('.pane')].map(one => one.offsetWidth > 0).join() === 'true,false'")
        both.evaluate("document.querySelectorAll('.paneTabs button')[1].click()")
        both.wait_for("[...document.querySelectorAll('.pane')].map(one => one.offsetWidth > 0).join() === 'false,true'")
        both.screenshot(os.path.join(self.folder, "8-first-sight-phone.png"))
        assert not both.errors, "; ".join(both.errors)

    def address_stays(self):
        """On a terminal of its own, the last line is always the page's address, whatever was printed above it."""
        terminal, side = pty.openpty()
        process = subprocess.Popen([self.server.binary, "demo", "--listen", "127.0.0.1:0", "--pace", "fast"],
                                   stdin=subprocess.DEVNULL, stdout=side, stderr=side)
        os.close(side)
        shown, deadline = b"", time.monotonic() + 30
        try:
            while shown.count(b"\n") < 12 and time.monotonic() < deadline:
                shown += os.read(terminal, 4096)
        finally:
            process.terminate()
            try:
                while os.read(terminal, 4096):
                    pass
            except OSError:  # the other side is closed
                pass
            process.wait(timeout=10)
            os.close(terminal)
        lines = shown.decode().split("\r\n")
        assert len(lines) > 10, shown
        address = next(line for line in lines if line.startswith("page: "))[6:]
        # Erased and written again for each printed line.
        assert all("\r\x1b[K" in line for line in lines[6:-1]), lines
        assert address in lines[-2] and lines[-2].startswith("page: "), lines[-2:]

    def no_errors(self):
        errors = self.anna.errors + self.marco.errors
        assert not errors, "; ".join(errors)

    def stopped(self):
        status = self.server.stop()
        assert status == 0, f"exit status {status}"

    @staticmethod
    def connection(page, word):
        """The device of a page ends its connection (`disconnect`), or has one again (`connect`)."""
        page.evaluate(f"import('/demo/shell/here.js').then(({{ here }}) => here.ww.{word}()).then(() => 0)")

    @staticmethod
    def send(page, text):
        page.type("#text", text)
        page.press("Enter", 13)


def play(checks, scratch):
    options = OPTIONS
    folder = options.screenshots or os.path.join(scratch, "screenshots")
    os.makedirs(folder, exist_ok=True)
    server = DemoServer(options.binary, os.path.join(scratch, "data"), os.path.join(folder, "server.log"))
    server.start()
    browser = Browser()
    try:
        trial = Trial(server, browser, folder, checks)
        trial.run()
        try_inboxes(trial, options.binary, str(scratch))
        try_pushes(trial, options.binary, str(scratch))
    finally:
        browser.close()
        server.stop()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--default-binary", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--screenshots", metavar="FOLDER", help="folder for pictures (default: a temporary one)")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary or options.default_binary)
    return options


if __name__ == "__main__":
    OPTIONS = arguments()
    sys.exit(verdict.run(play, name="browser", keeps=False))
