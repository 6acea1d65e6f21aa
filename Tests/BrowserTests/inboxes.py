"""The page of the applications without a chat: inboxes beside the documents that cause the notifications."""

import os
import time

from server import DemoServer

APPLICATIONS = ("air-quality", "ski-resort", "announcements", "task-board")
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
            self.trial.check(f"{self.application}: a phone's width and darkness become the page", self.phone)
        finally:
            self.server.stop()

    def both(self):
        self.page = self.trial.browser.open(self.server.page, width=1280, height=720)
        self.page.wait_for(f"{FRAMES}.length === 2")
        self.page.wait_for(f"{FRAMES}.every(one => one?.body?.dataset.connection === 'connected')", seconds=20)
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('.document'))", seconds=20)
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('.note strong')?.textContent)", seconds=20)
        self.page.wait_for(f"{FRAMES}.every(one => Number(one.querySelector('#count').textContent) > 0)")
        time.sleep(0.6)  # until the notifications have arrived
        self.picture("panes")
        assert not self.page.errors, "; ".join(self.page.errors)

    def done(self):
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('.note:not([data-gone])'))", seconds=40)
        self.page.evaluate(f"{FRAMES}[1].querySelector('[data-path$=popcorn] button, [data-path$=plants] button').click()")
        self.page.wait_for(f"{FRAMES}.every(one => one.querySelector('.note[data-gone=retracted]'))")
        self.picture("done")

    def phone(self):
        user = self.page.evaluate(f"new URLSearchParams({FRAMES}[0].location.search).get('user')")
        phone = self.trial.browser.open(f"{self.server.page}?user={user}&device=pocket", width=360, height=720)
        phone.color_scheme("dark")
        phone.wait_for("document.body.dataset.connection === 'connected'")
        phone.wait_for("document.querySelector('.note, .nothing') && document.documentElement.scrollWidth <= 360")
        phone.wait_for("document.querySelector('.document') !== null")
        phone.screenshot(os.path.join(self.trial.folder, f"9-{self.application}-phone.png"))
        assert not phone.errors, "; ".join(phone.errors)

    def picture(self, name):
        self.page.screenshot(os.path.join(self.trial.folder, f"9-{self.application}-{name}.png"))
