"""What people do with their chats: they change and delete messages, react, search, block, and make groups."""

import json
import os

from accessibility import Accessibility, still

CHAT = "anna:marco"


def message(text):
    return ("[...document.querySelectorAll('.message')]"
            f".find(one => one.querySelector('.text')?.textContent === {json.dumps(text)})")


class Chats:
    """Both pages show the chat of the two at the beginning of each check."""

    def __init__(self, trial):
        self.trial, self.anna, self.marco, self.server = trial, trial.anna, trial.marco, trial.server

    def run(self):
        def check(sentence, work):
            self.trial.check(sentence, work)
            for page in (self.anna, self.marco):  # also after a check that has failed
                page.evaluate(f"document.querySelectorAll('dialog').forEach(one => one.close()); location.hash = '#chats/{CHAT}'")
        check("a message is changed: its menu opens by the other button of the mouse, and both see the change", self.changed)
        check("a reaction is chosen in the menu by keyboard alone, and the focus comes back", self.reacted)
        check("a long press opens the menu, and there a message is deleted for both", self.deleted)
        check("a search finds people without their accents and messages by a word, and leads to the message; a reader who has"
              " scrolled up stays there, and one button leads to the newest message", self.searched)
        check("somebody is blocked and freed: on the page, in the chat, in the settings, and on the server", self.blocked)
        check("a group is made and named, talks, gets one more and another name, and is left", self.group)

    def look(self, name):
        """A picture of what is open above Anna's page, in which axe finds nothing."""
        self.look_at(self.anna, f"{name}-anna")

    def look_at(self, page, name):
        still(page)
        page.screenshot(os.path.join(self.trial.folder, f"3-{name}.png"))
        Accessibility.expect_nothing(page, name)

    def send(self, page, text):
        self.trial.send(page, text)

    def menu(self, page, text, *keys):
        """Uses the menu of a message by keyboard."""
        page.wait_for(f"{message(text)}?.querySelector('.messageMenu') != null")
        page.evaluate(f"{message(text)}.querySelector('.messageMenu').focus()")
        page.press("Enter", 13)
        page.wait_for("document.querySelector('.menu [role^=menuitem]') === document.activeElement")
        for key, code in keys:
            page.press(key, code)

    def choose(self, page, label):
        page.evaluate(f"[...document.querySelectorAll('.menuItem')].find(one => one.textContent === {json.dumps(label)}).click()")

    def point(self, page, expression):
        box = page.evaluate(f"(({{ x, y, width, height }}) => [x + width / 3, y + height / 3])({expression}.getBoundingClientRect())")
        return {"x": box[0], "y": box[1]}

    def changed(self):
        self.send(self.anna, "Shall we met at eight?")
        self.anna.wait_for(f"{message('Shall we met at eight?')}?.dataset.n !== undefined")
        at = self.point(self.anna, f"{message('Shall we met at eight?')}.querySelector('.text')")
        for kind in ("mousePressed", "mouseReleased"):
            self.anna.call("Input.dispatchMouseEvent", type=kind, button="right", buttons=2, clickCount=1, **at)
        self.anna.wait_for("document.querySelector('.menu') !== null")
        self.look("menu")
        self.choose(self.anna, "Edit")
        self.anna.wait_for("document.activeElement.id === 'text' && document.activeElement.value === 'Shall we met at eight?'")
        self.anna.evaluate("document.activeElement.select()")
        self.look("editing")
        self.send(self.anna, "Shall we meet at eight?")
        for page, edited in ((self.anna, "edited"), (self.marco, "modificato")):
            page.wait_for(f"{message('Shall we meet at eight?')}?.querySelector('footer').textContent.includes({json.dumps(edited)})")
            assert page.evaluate(f"{message('Shall we met at eight?')} === undefined")
        assert self.anna.evaluate("document.querySelector('#text').value === '' && document.querySelector('#editing') === null")

    def reacted(self):
        self.menu(self.marco, "Shall we meet at eight?", ("ArrowRight", 39), ("Enter", 13))
        self.anna.wait_for(f"{message('Shall we meet at eight?')}.querySelector('.reaction')?.textContent === '😂'")
        mine = f"{message('Shall we meet at eight?')}.querySelector('.reaction.there[aria-pressed=true]')"
        self.marco.wait_for(f"{mine}?.textContent === '😂'")
        self.marco.wait_for("document.activeElement.classList.contains('messageMenu')")
        self.menu(self.marco, "Shall we meet at eight?", ("Escape", 27))
        self.marco.wait_for("document.querySelector('.menu') === null && document.activeElement.classList.contains('messageMenu')")
        # Taken back with the button under the message.
        self.marco.evaluate(f"{mine}.click()")
        self.anna.wait_for(f"{message('Shall we meet at eight?')}.querySelector('.reaction') === null")

    def deleted(self):
        self.send(self.anna, "This was for somebody else.")
        self.marco.wait_for(f"{message('This was for somebody else.')} !== undefined")
        self.anna.wait_for(f"{message('This was for somebody else.')}?.dataset.n !== undefined")
        at = self.point(self.anna, f"{message('This was for somebody else.')}.querySelector('.text')")
        self.anna.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[at])
        self.anna.wait_for("document.querySelector('.menu') !== null")
        self.anna.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        assert self.anna.evaluate("document.querySelector('.menu') !== null"), "the menu closes when the finger goes"
        self.choose(self.anna, "Delete")
        self.anna.click("#delete-dialog-send")
        for page, text in ((self.anna, "This message was deleted."), (self.marco, "Questo messaggio è stato eliminato.")):
            page.wait_for(f"{message(text)} !== undefined")
            assert page.evaluate(f"{message('This was for somebody else.')} === undefined")

    def searched(self):
        for number in range(12):
            self.server.command("marco", type="send", to="anna", key=f"filler-{number}", text=f"Riga {number}.\n" * 6)
        self.anna.type("#search", "Márc")
        self.anna.wait_for("document.querySelector('#found-people [data-person=marco]') !== null")
        self.anna.wait_for("!document.querySelector('#found-messages')")
        self.anna.evaluate("document.querySelector('#search').value = ''")
        self.anna.type("#search", "meet eigh")
        self.anna.wait_for("[...document.querySelectorAll('#found-messages mark')].map(one => one.textContent).join() === 'meet,eigh,eight'"
                           " || [...document.querySelectorAll('#found-messages mark')].length >= 2")
        self.look("search")
        self.anna.click("#found-messages a")
        found = "document.querySelector('.message[data-found=true]')"
        self.anna.wait_for(f"{found}?.querySelector('.text').textContent === 'Shall we meet at eight?'")
        inside = "((a, b) => a.top >= b.top && a.bottom <= b.bottom)"
        self.anna.wait_for(f"{inside}({found}.getBoundingClientRect(), document.querySelector('#scroller').getBoundingClientRect())")
        self.stays()

    def stays(self):
        at = "document.querySelector('#scroller').scrollTop"
        self.anna.wait_for("!document.querySelector('#newest').hidden")
        before = self.anna.evaluate(at)
        self.send(self.marco, "Ci sei?")
        self.anna.wait_for(f"{message('Ci sei?')} !== undefined")
        self.anna.evaluate("new Promise(done => setTimeout(done, 100))")
        assert self.anna.evaluate(at) == before, (before, self.anna.evaluate(at))
        self.anna.click("#newest")
        self.anna.wait_for(f"document.querySelector('#newest').hidden && {at} > {before}")
        self.anna.press("Escape", 27)
        self.anna.evaluate("document.querySelector('#search').value = '';"
                           "document.querySelector('#search').dispatchEvent(new Event('input'))")
        self.anna.wait_for("document.querySelector('#chats') !== null")

    def blocked(self):
        blocks = lambda: self.server.command("anna", type="blocks")["users"]  # noqa: E731
        self.anna.evaluate("location.hash = '#user/tom'")
        self.anna.click("#block")
        self.anna.click("#block-dialog-send")
        self.anna.wait_for("document.querySelector('#unblock') !== null")
        self.trial.wait_until(lambda: blocks() == ["tom"])
        self.anna.evaluate("location.hash = '#chats/anna:tom'")
        self.anna.wait_for("document.querySelector('#barred') !== null && !document.querySelector('#text')")
        self.look("blocked")
        self.anna.evaluate("location.hash = '#settings'")
        self.anna.click("#blocked [data-user=tom] button")
        self.anna.wait_for("document.querySelector('#blocked') === null")
        self.trial.wait_until(lambda: blocks() == [])
        self.anna.evaluate(f"location.hash = '#chats/{CHAT}'")
        self.anna.wait_for("document.querySelector('#text') !== null")

    def group(self):
        self.anna.click("#new-room")
        self.anna.wait_for("document.querySelector('#room-dialog').open && document.querySelector('#room-dialog-send').disabled")
        self.anna.type("#room-name", "Friday’s film")
        for person in ("marco", "sofia"):
            self.anna.click(f"#room-dialog [value={person}]")
        self.look("new-group")
        self.anna.click("#room-dialog-send")
        self.anna.wait_for("document.querySelector('#peer')?.textContent === 'Friday’s film'")
        self.anna.wait_for("document.querySelector('#peer-state').textContent.split(', ').sort().join() === 'Marco,Sofia,You'")
        self.send(self.anna, "What shall we see?")
        row = "[data-chat^=\"room:\"]"
        self.marco.wait_for(f"document.querySelector('{row}')?.textContent.includes('Anna: What shall we see?')")
        self.marco.click(row)
        self.marco.wait_for(f"{message('What shall we see?')}?.querySelector('.author').textContent === 'Anna'")
        self.send(self.marco, "Arrival!")
        self.anna.wait_for(f"{message('Arrival!')}?.querySelector('.author').textContent === 'Marco'")
        self.look("group")
        self.of_group(self.anna, "Invite")
        self.anna.wait_for("document.querySelector('#invite-dialog [value=marco]') === null")
        self.anna.click("#invite-dialog [value=nora]")
        self.anna.click("#invite-dialog-send")
        # Nora does not follow Anna, so she is asked.
        invitations = lambda: self.server.command("nora", type="room.invitations")["invitations"]  # noqa: E731
        self.trial.wait_until(invitations)
        self.server.command("nora", type="room.accept", chat=invitations()[0]["chat"])
        self.marco.wait_for("document.querySelector('#peer-state').textContent.includes('Nora')")
        self.of_group(self.anna, "Rename")
        self.anna.wait_for("document.querySelector('#rename-dialog').open")
        self.anna.evaluate("document.querySelector('#room-name').select()")
        self.anna.type("#room-name", "Saturday’s film")
        self.anna.click("#rename-dialog-send")
        self.marco.wait_for("document.querySelector('#peer').textContent === 'Saturday’s film'")
        self.of_group(self.marco, "Esci")
        self.marco.click("#leave-dialog-send")
        self.marco.wait_for(f"document.querySelector('{row}') === null && location.hash === '#chats'")
        self.anna.wait_for("!document.querySelector('#peer-state').textContent.includes('Marco')")
        for page in (self.anna, self.marco):
            page.evaluate(f"location.hash = '#chats/{CHAT}'")
            page.wait_for("document.querySelector('#peer a') !== null")

    def of_group(self, page, label):
        page.click("#chat-menu")
        page.wait_for("document.querySelector('.menu') !== null")
        self.choose(page, label)
