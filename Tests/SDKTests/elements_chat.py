"""<watchwise-chat>: two people, and a room."""

import json

from elements_stage import CHAT, MESSAGES, TEXTS, PageError, click, is_right, press, until, write


class Chat:
    """Alice and Bob write to each other, each on a page with the element."""

    def __init__(self, stage):
        self.stage = stage

    def run(self, checks):
        for what, work in (
                ("two people write, see each other writing, and what was read", self.talk),
                ("a message is changed, answered, reacted to and deleted", self.change),
                ("earlier messages come while one scrolls up, and what one reads stays where it is", self.earlier),
                ("a message without a network waits, and goes out later", self.offline),
                ("who blocks somebody sees it, and writes again after unblocking", self.blocks),
                ("a room shows who wrote; who is not a member is told so", self.room),
                ("what the server refuses is said in words, and can be given up", self.refused)):
            checks.tries(what, work, PageError)

    def opened(self, user, more, **about):
        page = self.stage.open(self.stage.chat(user, more), **about)
        page.wait_for(f"{CHAT}?.querySelector('textarea, .barred') != null && document.querySelector('watchwise-chat').state.name === 'live'")
        return page

    def talk(self):
        alice, bob = self.opened("alice", 'with="bob"'), self.opened("bob", 'with="alice"')
        write(alice, "Hello")
        press(alice, "Enter", 13)
        bob.wait_for(f"{TEXTS}.join() === 'Hello'")
        alice.wait_for(f"{MESSAGES}[0].classList.contains('read')")
        assert alice.evaluate(f"{CHAT}.querySelector('textarea').value") == ""
        write(bob, "H")
        alice.wait_for(f"{CHAT}.querySelector('.who small').textContent === 'bob is writing …'")
        alice.wait_for(f"{CHAT}.querySelector('.who small').textContent === 'online'", seconds=9)
        write(bob, "i")
        alice.wait_for(f"{CHAT}.querySelector('.who small').textContent === 'bob is writing …'")
        press(bob, "Enter", 13)
        alice.wait_for(f"{TEXTS}.join() === 'Hello,Hi' && {CHAT}.querySelector('.who small').textContent === 'online'")
        alice.wait_for(f"{CHAT}.querySelector('[role=status]').textContent === 'bob: Hi'")
        bob.wait_for(f"{CHAT}.querySelector('.message.mine').classList.contains('read')")
        for page in (alice, bob):
            is_right(page)
            page.close()

    def menu(self, page, number, label):
        page.evaluate(f"{MESSAGES}[{number}].querySelector('.dotsButton').click()")
        page.wait_for(f"{CHAT}.querySelector('.menu').matches(':popover-open')")
        item = f"[...{CHAT}.querySelectorAll('.menu button')].find(one => (one.ariaLabel ?? one.textContent) === {json.dumps(label)} || one.textContent === {json.dumps(label)})"
        page.wait_for(f"{item} != null")
        page.evaluate(f"{item}.click()")

    def change(self):
        alice, bob = self.opened("alice", 'with="bob"'), self.opened("bob", 'with="alice"')
        for page in (alice, bob):
            page.wait_for(f"{MESSAGES}.length === 2")
        write(alice, "")
        press(alice, "ArrowUp", 38)
        alice.wait_for(f"{CHAT}.querySelector('textarea').value === 'Hello'")
        write(alice, " there")
        press(alice, "Enter", 13)
        bob.wait_for(f"{TEXTS}[0] === 'Hello there' && {MESSAGES}[0].querySelector('.foot').textContent.includes('edited')")
        self.menu(bob, 0, "Reply")
        bob.wait_for(f"{CHAT}.querySelector('.about')?.textContent.includes('Hello there') && {CHAT}.activeElement?.localName === 'textarea'")
        write(bob, "An answer")
        press(bob, "Enter", 13)
        alice.wait_for(f"{MESSAGES}[2]?.querySelector('.quote')?.textContent === 'Hello there'")
        self.menu(bob, 0, "❤️")
        alice.wait_for(f"{MESSAGES}[0].querySelector('.reaction')?.textContent.trim() === '❤️'")
        alice.evaluate(f"{MESSAGES}[0].querySelector('.reaction').click()")
        bob.wait_for(f"{MESSAGES}[0].querySelector('.reaction')?.textContent === '❤️ 2'")
        self.menu(alice, 0, "Delete")
        alice.wait_for(f"{CHAT}.querySelector('.menu button').textContent === 'Delete it for everybody?' && {CHAT}.activeElement?.className === 'danger'")
        press(alice, "Enter", 13)
        bob.wait_for(f"{TEXTS}[0] === 'This message was deleted.' && !{MESSAGES}[0].querySelector('.reaction')")
        assert alice.evaluate(f"!{CHAT}.querySelector('.menu').matches(':popover-open')")
        click(alice, CHAT, "[part=menu-button]")
        press(alice, "Escape", 27)
        alice.wait_for(f"{CHAT}.activeElement?.part.contains('menu-button')")
        for page in (alice, bob):
            is_right(page)
            page.close()

    def earlier(self):
        for number in range(130):
            self.stage.say("bob", "carol", f"Message {number}")
        page = self.opened("carol", 'with="bob"')
        page.wait_for(f"{TEXTS}.at(-1) === 'Message 129' && {MESSAGES}.length === 50")
        scroller = f"{CHAT}.querySelector('.scroller')"
        page.wait_for(f"{scroller}.scrollHeight - {scroller}.scrollTop - {scroller}.clientHeight < 2")
        until(lambda: all(one["unread"] == 0 for one in self.stage.people["carol"].ok(type="chats")["chats"]), "read")
        page.evaluate(f"{scroller}.scrollTop = 40")
        page.wait_for(f"{MESSAGES}.length === 100")
        place = f"{MESSAGES}.find(one => one.querySelector('.text').textContent === 'Message 81').getBoundingClientRect().top - {scroller}.getBoundingClientRect().top"
        top = page.evaluate(place)
        assert -20 < top < 200, f"what was read is at {top}"
        same = f"window.node = {MESSAGES}.find(one => one.querySelector('.text').textContent === 'Message 100')"
        page.evaluate(same)
        self.stage.say("bob", "carol", "One more")
        page.wait_for(f"{TEXTS}.at(-1) === 'One more' && {CHAT}.querySelector('.down') != null")
        assert abs(page.evaluate(place) - top) < 2, "it stays"
        assert page.evaluate("node.isConnected"), "nodes of messages that did not change stay"
        click(page, CHAT, ".down")
        page.wait_for(f"{scroller}.scrollHeight - {scroller}.scrollTop - {scroller}.clientHeight < 2 && !{CHAT}.querySelector('.down')")
        click(page, CHAT, ".more")
        page.wait_for(f"{MESSAGES}.length >= 131 && !{CHAT}.querySelector('.more')")
        is_right(page)
        page.close()

    def offline(self):
        page = self.opened("alice", 'with="bob"')
        page.evaluate("document.querySelector('watchwise-chat').library.disconnect()")
        write(page, "Later")
        press(page, "Enter", 13)
        page.wait_for(f"{MESSAGES}.at(-1).classList.contains('waiting') && {MESSAGES}.at(-1).querySelector('[part=state]').textContent === 'Waiting'")
        page.evaluate("document.querySelector('watchwise-chat').library.connect()")
        page.wait_for(f"{MESSAGES}.at(-1).classList.contains('sent') || {MESSAGES}.at(-1).classList.contains('delivered')")
        assert page.evaluate(f"{TEXTS}.at(-1)") == "Later"
        is_right(page)
        page.close()

    def blocks(self):
        page = self.opened("alice", 'with="carol"')
        for label in ("Block", "Really block carol?"):
            if label == "Block":
                click(page, CHAT, "[part=menu-button]")
            item = f"[...{CHAT}.querySelectorAll('.menu button')].find(one => one.textContent === {json.dumps(label)})"
            page.wait_for(f"{item} != null")
            page.evaluate(f"{item}.click()")
        page.wait_for(f"{CHAT}.querySelector('.barred')?.textContent.startsWith('You have blocked carol.') && !{CHAT}.querySelector('textarea')")
        until(lambda: self.stage.people["alice"].ok(type="blocks")["users"] == ["carol"], "blocked on the server")
        page.close()
        page = self.opened("alice", 'with="carol"')
        click(page, CHAT, ".barred button")
        page.wait_for(f"{CHAT}.querySelector('textarea') != null")
        until(lambda: self.stage.people["alice"].ok(type="blocks")["users"] == [], "unblocked on the server")
        is_right(page)
        page.close()

    def room(self):
        self.stage.people["carol"].ok(type="follow", topic="user:alice")  # the block has ended it
        room = self.stage.people["alice"].ok(type="room.create", title="Films", members=["bob", "carol"], key="room")["chat"]
        for user, text in (("bob", "From Bob"), ("bob", "Again"), ("carol", "From Carol")):
            self.stage.say(user, room, text)
        page = self.stage.open('<script src="/names.js"></script>' + self.stage.chat("alice", f'chat="{room}"'))
        page.wait_for(f"{CHAT}?.querySelector('.title')?.textContent === 'Films' && {MESSAGES}.length === 3")
        page.wait_for(f"{MESSAGES}.map(one => one.querySelector('.author')?.textContent ?? '').join() === 'Bob B.,,Carol'")
        self.stage.people["alice"].ok(type="room.leave", chat=room, key="leave")
        page.wait_for(f"{CHAT}.querySelector('.barred')?.textContent === 'You are not a member of this group.'")
        is_right(page)
        page.close()

    def refused(self):
        page = self.opened("carol", 'with="stranger"')
        write(page, "Hello?")
        press(page, "Enter", 13)
        page.wait_for(f"{MESSAGES}[0]?.classList.contains('failed') && {MESSAGES}[0].textContent.includes('This is not allowed here.')")
        assert page.evaluate(f"{CHAT}.querySelector('.quote') === null"), "it answers nothing"
        page.wait_for(f"{CHAT}.querySelector('[role=alert]')?.textContent === 'The server refused this. This is not allowed here.'")
        page.evaluate(f"{MESSAGES}[0].querySelector('.danger').click()")
        page.wait_for(f"{MESSAGES}.length === 0")
        is_right(page)
        page.close()
