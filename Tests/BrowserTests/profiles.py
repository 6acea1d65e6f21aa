"""A profile that one person changes on two devices, one of which has no network meanwhile."""

import json
import os

from accessibility import SIZES, Accessibility, sized, still

WORDS = "fetch('demo/words/' + document.documentElement.lang + '.json').then(answer => answer.json())"
ABOUT = "document.querySelector('#about-me')"


class Profiles:
    """Luca is on a train, and at home."""

    def __init__(self, trial):
        self.trial, self.server = trial, trial.server

    def run(self):
        self.train, self.home = (self.trial.browser.open(f"{self.server.page}?user=luca&device={device}#user/luca") for device in ("train", "home"))
        self.trial.check("a profile that two devices have changed is shown, here and there, and one of both stays on both", self.conflict)
        self.trial.check("two devices that change different fields of a profile are not asked, and both fields stay", self.merged)
        for page in (self.train, self.home):
            page.close()

    def write(self, page, text):
        page.evaluate(f"{ABOUT}.value = {json.dumps(text)}; {ABOUT}.dispatchEvent(new Event('change'))")

    def profile(self):
        return self.server.command("luca", type="get", path="users/luca")["data"]

    def conflict(self):
        for page in (self.train, self.home):
            page.wait_for(f"{ABOUT} !== null && document.body.dataset.connection === 'live'", seconds=20)
        words = self.train.evaluate(WORDS)
        for choice, mine, theirs, wanted in (("keep-mine", "On a train.", "At home.", "On a train."), ("take-theirs", "Still there.", "", "")):
            self.trial.connection(self.train, "disconnect")
            self.write(self.train, mine)
            self.write(self.home, theirs)
            self.trial.wait_until(lambda: self.profile().get("about", "") == theirs)
            self.trial.connection(self.train, "connect")
            self.train.wait_for("document.querySelector('#conflict')?.open")
            cells = self.train.evaluate("[...document.querySelectorAll('#conflict tbody tr > *')].map(one => one.textContent)")
            assert cells == [words["about"], mine, theirs or words["conflict.nothing"]], cells
            self.look(choice)
            self.train.click(f"#{choice}")
            self.trial.wait_until(lambda: self.profile().get("about", "") == wanted)
            for page in (self.train, self.home):
                page.wait_for(f"!document.querySelector('#conflict') && {ABOUT}.value === {json.dumps(wanted)}"
                              f" && document.querySelector('.hero p').textContent === {json.dumps(wanted)}")
            assert not self.train.errors + self.home.errors, self.train.errors + self.home.errors

    def look(self, choice):
        still(self.train)
        for _, width in sized(self.train, reversed(SIZES)):
            self.train.screenshot(os.path.join(self.trial.folder, f"11-profile-{choice}-{width}.png"))
            Accessibility.expect_nothing(self.train, choice)

    def merged(self):
        self.trial.connection(self.train, "disconnect")
        self.write(self.train, "At the window.")
        other = self.home.evaluate("[...document.querySelectorAll('.faces input')].findIndex(one => !one.checked)")
        self.home.evaluate(f"document.querySelectorAll('.faces input')[{other}].click()")
        self.trial.wait_until(lambda: self.profile().get("picture") == other)
        self.trial.connection(self.train, "connect")
        self.trial.wait_until(lambda: self.profile().get("about") == "At the window.")
        assert self.profile()["picture"] == other
        for page in (self.train, self.home):
            page.wait_for(f"{ABOUT}.value === 'At the window.' && document.querySelectorAll('.faces input')[{other}].checked")
            assert page.evaluate("document.querySelector('#conflict') === null")
