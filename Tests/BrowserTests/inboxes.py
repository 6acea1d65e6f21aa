"""The page of the applications without a chat: inboxes beside the documents that cause the notifications."""

import json
import os
import time

from accessibility import Accessibility
from server import DemoServer

# The pages of each, with what is on them.
APPLICATIONS = {
    "air-quality": (("stations", ".station"), ("inbox", ".note, .nothing"), ("settings", "#language")),
    "ski-resort": (("resort", ".liftLine"),), "announcements": (("announcements", ".announcement"),),
    "task-board": (("board", ".boardCard"), ("task/book", "#task-title")),
}
FRAMES = "[...document.querySelectorAll('iframe')].map(one => one.contentDocument)"


def try_inboxes(trial, binary, scratch):
    for application in APPLICATIONS:
        Inboxes(trial, binary, scratch, application).run()


class Inboxes:
    def __init__(self, trial, binary, scratch, application):
        self.trial = trial
        self.application = application
        self.server = DemoServer(binary, os.path.join(scratch, application), os.path.join(trial.folder, "server.log"),
                                 "--app", application)

    def run(self):
        self.server.start()
        try:
            self.trial.check(f"{self.application}: two inboxes stand side by side, and fill while documents change", self.both)
            if self.application == "task-board":
                self.trial.check("task-board: done on one device, the reminder goes from the other", self.done)
                self.trial.check("task-board: a card is moved by keyboard, by mouse and by finger, on all devices", self.moved)
                self.trial.check("task-board: long names stay in their columns", self.names)
                self.trial.check("task-board: what was changed on two devices is shown, mine and theirs, and one of both stays", self.conflict)
            self.trial.check(f"{self.application}: a phone's width and darkness become the page", self.phone)
            Accessibility(self.trial, self.server.page, self.application).check(
                *APPLICATIONS[self.application], user=self.user, device="checked")
        finally:
            self.server.stop()

    def both(self):
        self.page = self.trial.browser.open(self.server.page, width=1280, height=720)
        self.page.wait_for(f"{FRAMES}.length === 2", seconds=20)
        self.page.wait_for(f"{FRAMES}.every(one => one?.body?.dataset.connection === 'live')", seconds=20)
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('.document'))", seconds=20)
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('.noteTitle')?.textContent)", seconds=20)
        self.page.wait_for(f"{FRAMES}.every(one => Number(one.querySelector('#count').textContent) > 0)")
        time.sleep(0.6)  # until the notifications have arrived
        self.picture("panes")
        assert not self.page.errors, "; ".join(self.page.errors)

    def done(self):
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('.note:not([data-gone])'))", seconds=40)
        self.page.evaluate(f"{FRAMES}[1].querySelector('[data-path$=popcorn][data-done=false] [type=checkbox], [data-path$=plants][data-done=false] [type=checkbox]').click()")
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('.note[data-gone=retracted]'))")
        self.picture("done")

    def moved(self):
        seats = '[data-path$="/seats"]'
        page = self.trial.browser.open(f"{self.server.page}?user=anna&device=keyboard")
        page.wait_for(f"document.querySelector('[data-column=todo] {seats}') !== null", seconds=20)
        page.evaluate(f"document.querySelector('{seats} .cardTitle').focus()")
        page.press("ArrowRight", 39, alt=True)
        page.wait_for(f"document.querySelector('[data-column=doing] {seats}') !== null")
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('[data-column=doing] {seats}'))")
        page.wait_for(f"document.activeElement.closest('{seats}') !== null")
        card, done = self.point(page, f"{seats} .row"), self.point(page, "[data-column=done] h2")
        page.call("Input.dispatchMouseEvent", type="mousePressed", button="left", clickCount=1, **card)
        for at in ({**card, "x": card["x"] + 20}, done):
            page.call("Input.dispatchMouseEvent", type="mouseMoved", button="left", buttons=1, **at)
        page.wait_for("document.querySelector('[data-column=done][data-over=true]') !== null && document.querySelector('.ghost') !== null")
        page.screenshot(os.path.join(self.trial.folder, "9-task-board-dragging.png"))
        page.call("Input.dispatchMouseEvent", type="mouseReleased", button="left", clickCount=1, **done)
        page.wait_for(f"document.querySelector('[data-column=done] {seats}')?.dataset.done === 'true'")
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('[data-column=done] {seats}'))")
        page.screenshot(os.path.join(self.trial.folder, "9-task-board-moved.png"))
        self.by_finger(page, seats)
        assert not page.errors, "; ".join(page.errors)
        page.close()

    def by_finger(self, page, seats):
        """The column lies beyond the left edge of a phone, and comes into sight while one drags there."""
        page.resize(390, 844)
        page.wait_for("innerWidth === 390")
        page.evaluate(f"document.querySelector('{seats}').scrollIntoView({{ inline: 'center', block: 'center' }})")
        card = self.point(page, f"{seats} .row")
        page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[card])
        page.wait_for("document.querySelector('.ghost') !== null")
        page.screenshot(os.path.join(self.trial.folder, "9-task-board-finger.png"))
        for x in (card["x"] - 20, 12):
            page.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{**card, "x": x}])
        page.wait_for("document.querySelector('[data-column=doing][data-over=true]') !== null")
        page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        page.wait_for(f"document.querySelector('[data-column=doing] {seats}') !== null && !document.querySelector('.ghost')")
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('[data-column=doing] {seats}'))")

    def names(self):
        """Another column of a long name with a task of a long one; both go again."""
        page = self.trial.browser.open(f"{self.server.page}?user=anna&device=names", width=360, height=720)
        page.wait_for("document.querySelector('.addColumn input') !== null && document.querySelector('.boardCard') !== null", seconds=20)
        for path, data in (("columns/long", {"name": "قائمة " + "W" * 50, "order": 9}),
                           ("tasks/long", {"title": "اشترِ " + "W" * 120, "column": "long", "order": 9})):
            self.server.command("anna", type="put", path=f"users/anna/{path}", data=data, key=f"long-{path}")
        page.wait_for("document.querySelector('[data-column=long] [data-path$=\"/long\"]') !== null")
        inside = "(box => [...box.querySelectorAll('*')].every(one => one.getBoundingClientRect().right <= box.getBoundingClientRect().right))"
        assert page.evaluate(f"{inside}(document.querySelector('[data-column=long]'))"), "something stands out of its column"
        page.evaluate("location.hash = '#task/long'")
        page.wait_for("document.querySelector('#task-title') !== null")
        page.wait_for("(main => main.scrollWidth <= main.clientWidth)(document.querySelector('main'))")
        for path in ("columns/long", "tasks/long"):
            self.server.command("anna", type="remove", path=f"users/anna/{path}", key=f"gone-{path}")
        page.close()

    def conflict(self):
        """Two devices write the same field of a task, one of them without a network."""
        path, title = "users/anna/tasks/seats", "document.querySelector('#task-title')"
        for choice, wanted, shown in (("keep-mine", "Book two seats", "Three seats"), ("take-theirs", "Four seats", "Five seats")):
            theirs = shown if choice == "keep-mine" else wanted
            mine = wanted if choice == "keep-mine" else shown
            page = self.trial.browser.open(f"{self.server.page}?user=anna&device=train#task/seats")
            page.wait_for(f"{title} !== null && document.body.dataset.connection === 'live'", seconds=20)
            self.trial.connection(page, "disconnect")
            page.evaluate(f"{title}.value = {json.dumps(mine)}; {title}.dispatchEvent(new Event('change'))")
            self.server.command("anna", type="patch", path=path, data={"title": theirs}, key=f"conflict-{choice}")
            self.trial.connection(page, "connect")
            page.wait_for("document.querySelector('#conflict')?.open")
            cells = page.evaluate("[...document.querySelectorAll('#conflict tbody tr > *')].map(one => one.textContent)")
            assert cells == ["Title", mine, theirs], cells
            Accessibility.expect_nothing(page, choice)
            page.screenshot(os.path.join(self.trial.folder, f"9-task-board-conflict-{choice}.png"))
            page.click(f"#{choice}")
            page.wait_for(f"!document.querySelector('#conflict') && {title}.value === {json.dumps(wanted)}")
            self.trial.wait_until(lambda: self.server.command("anna", type="get", path=path)["data"]["title"] == wanted)
            assert not page.errors, "; ".join(page.errors)
            page.close()

    def point(self, page, selector):
        page.wait_for(f"document.querySelector({json.dumps(selector)}) !== null")
        return page.evaluate(f"(({{ x, y, width, height }}) => ({{ x: x + width / 2, y: y + height / 2 }}))"
                             f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")

    @property
    def user(self):
        return self.page.evaluate(f"new URLSearchParams({FRAMES}[0].location.search).get('user')")

    def phone(self):
        phone = self.trial.browser.open(f"{self.server.page}?user={self.user}&device=pocket", width=360, height=720)
        phone.color_scheme("dark")
        phone.wait_for("document.body.dataset.connection === 'live'")
        phone.wait_for("document.querySelector('.note, .nothing') && document.documentElement.scrollWidth <= 360")
        phone.wait_for("document.querySelector('.document') !== null")
        phone.screenshot(os.path.join(self.trial.folder, f"9-{self.application}-phone.png"))
        assert not phone.errors, "; ".join(phone.errors)

    def picture(self, name):
        self.page.screenshot(os.path.join(self.trial.folder, f"9-{self.application}-{name}.png"))
