"""A group and those who are in it: roles, a member who may not write, and one who is removed."""

from chats import CHAT, Chats

SECRET = "Don’t tell Nora: we give her the tickets."


def member(user):
    return f"#members [data-user={user}]"


class Rooms(Chats):
    """Anna has a group with Marco, who reads Italian, and Sofia."""

    def run(self):
        for user in ("marco", "sofia"):
            self.server.command(user, type="preferences", set={"invites": "all"})
        self.room = self.trial.room = self.server.command("anna", type="room.create", title="Film club", members=["marco", "sofia"], key="rooms-create")["chat"]

        def check(sentence, work):
            self.trial.check(sentence, work)
            for page in (self.anna, self.marco):
                page.evaluate("document.querySelectorAll('dialog').forEach(one => one.close())")
        check("the page of a group lists its members; its owner makes one of them a moderator, by keyboard", self.roles)
        check("a moderator lets a member write no more for an hour, who reads why, and then write again", self.muted)
        check("a person who is removed while writing reads that the group is closed, also after a reload, and is back with an invitation", self.removed)
        check("a person who is removed meanwhile reads it with the next connection", self.removed_meanwhile)
        check("invitations stand above the chats; one is accepted with a click, the other declined", self.invited)
        check("nothing of a chat notifies a person who has muted it, and the server knows that", self.mute_chat)
        for page in (self.anna, self.marco):
            page.evaluate(f"location.hash = '#chats/{CHAT}'")
            page.wait_for("document.querySelector('#text') !== null")

    def members(self):
        return {one["user"]: one for one in self.server.command("anna", type="room.members", chat=self.room)["members"]}

    def open(self, page, place):
        page.evaluate(f"location.hash = '#{place}/{self.room}'")
        page.wait_for("document.querySelector('#members') !== null" if place == "room" else "document.querySelector('#peer') !== null")

    def of_member(self, page, user, label):
        page.click(f"{member(user)} .memberMenu")
        page.wait_for("document.querySelector('.menu') !== null")
        self.choose(page, label)

    def role(self, page, user):
        return f"document.querySelector('{member(user)}')?.dataset.role"

    def roles(self):
        self.open(self.anna, "chats")
        self.anna.click("#peer a")
        self.anna.wait_for("document.querySelectorAll('#members li').length === 3")
        names = self.anna.evaluate("[...document.querySelectorAll('#members a')].map(one => one.textContent)")
        assert names == ["Anna (You)", "Marco", "Sofia"], names
        self.look("members")
        self.open(self.marco, "room")
        assert self.marco.evaluate("document.querySelectorAll('.memberMenu').length === 0"), "a member governs nobody"
        self.anna.evaluate(f"document.querySelector('{member('marco')} .memberMenu').focus()")
        self.anna.press("Enter", 13)
        self.anna.wait_for("document.activeElement.textContent === 'Make moderator'")
        self.look("member-menu")
        self.anna.press("Enter", 13)
        for page in (self.anna, self.marco):
            page.wait_for(f"{self.role(page, 'marco')} === 'moderator'")
        self.anna.wait_for(f"document.activeElement.closest('{member('marco')}') !== null")
        self.trial.wait_until(lambda: self.members()["marco"]["role"] == "moderator")
        menus = "[...document.querySelectorAll('.memberMenu')].map(one => one.closest('li').dataset.user).join()"
        self.marco.wait_for(f"{menus} === 'sofia'")

    def muted(self):
        sofia = self.trial.browser.open(f"{self.server.page}?user=sofia#chats/{self.room}")
        sofia.wait_for("document.querySelector('#text') !== null", seconds=20)
        self.of_member(self.marco, "sofia", "Vieta di scrivere per un’ora")
        for page in (self.anna, self.marco):
            page.wait_for(f"document.querySelector('{member('sofia')}').dataset.muted === 'true'")
        self.trial.wait_until(lambda: "muted" in self.members()["sofia"])
        sofia.wait_for("document.querySelector('#barred') !== null && document.querySelector('#text') === null")
        self.of_member(self.marco, "sofia", "Permetti di scrivere")
        sofia.wait_for("document.querySelector('#text') !== null")
        assert "muted" not in self.members()["sofia"]
        assert not sofia.errors, sofia.errors
        sofia.close()
        # An owner takes the role back.
        self.of_member(self.anna, "marco", "Make member")
        self.marco.wait_for(f"{self.role(self.marco, 'marco')} === 'member' && !document.querySelector('.memberMenu')")

    def is_closed(self, page, *words):
        page.wait_for("document.querySelector('#closed') !== null && document.querySelector('#text') === null")
        text = page.evaluate("document.querySelector('#closed').textContent")
        assert all(word in text for word in words), text

    def removed(self):
        self.open(self.marco, "chats")
        self.marco.type("#text", "Sto scriv")
        self.of_member(self.anna, "marco", "Remove from the group")
        self.look("remove-member")
        self.anna.click("#remove-dialog-send")
        self.is_closed(self.marco, "Anna ti ha rimosso da «Film club».", "Il gruppo è chiuso per te", "Alle chat")
        self.marco.wait_for(f"document.querySelector('[data-chat=\"{self.room}\"]') === null && document.activeElement.id === 'peer'")
        self.anna.wait_for(f"document.querySelector('{member('marco')}') === null")
        self.look_at(self.marco, "closed-marco")
        self.server.command("anna", type="send", chat=self.room, text=SECRET, key="rooms-secret")
        self.marco.call("Page.reload")
        self.is_closed(self.marco, "Questo gruppo è chiuso per te")
        self.marco.evaluate("window.neverReloaded = true")  # but for this once
        assert SECRET not in self.marco.evaluate("document.body.textContent")
        self.marco.evaluate(f"location.hash = '#room/{self.room}'")
        self.is_closed(self.marco, "Questo gruppo è chiuso per te")
        self.anna.click("#room-invite")
        self.anna.click("#invite-dialog [value=marco]")
        self.anna.click("#invite-dialog-send")
        self.marco.wait_for("document.querySelectorAll('#members li').length === 3")
        self.open(self.marco, "chats")
        self.marco.wait_for("document.querySelector('#text') !== null && document.querySelector('#peer').textContent === 'Film club'")
        self.send(self.marco, "Eccomi.")
        self.open(self.anna, "chats")
        self.anna.wait_for("[...document.querySelectorAll('.message .text')].some(one => one.textContent === 'Eccomi.')")
        self.marco.wait_for("document.querySelector('.message') !== null && document.querySelector('#earlier') === null")
        assert SECRET not in self.marco.evaluate("document.body.textContent"), "a closed room shows what was said meanwhile"

    def removed_meanwhile(self):
        self.trial.connection(self.marco, "disconnect")
        self.server.command("anna", type="room.remove", chat=self.room, user="marco", key="rooms-remove")
        assert self.marco.evaluate("document.querySelector('#text') !== null")
        self.trial.connection(self.marco, "connect")
        self.is_closed(self.marco, "Anna ti ha rimosso da «Film club».")
        self.server.command("anna", type="room.invite", chat=self.room, members=["marco"], key="rooms-again")
        self.marco.wait_for("document.querySelector('#text') !== null")
        # Elsewhere on the page a line says it.
        self.marco.evaluate("location.hash = '#home'")
        self.marco.wait_for("document.querySelector('.feedItem, .nothing') !== null")
        self.server.command("anna", type="room.remove", chat=self.room, user="marco", key="rooms-remove-again")
        self.marco.wait_for("!document.querySelector('#alert').hidden && document.querySelector('#alert').textContent === 'Anna ti ha rimosso da «Film club».'")

    def invited(self):
        self.server.command("marco", type="preferences", set={"invites": None})
        self.server.command("marco", type="unfollow", topic="user:ben")
        rooms = []
        for title in ("Cinema muto", "Calcetto"):
            made = self.server.command("ben", type="room.create", title=title, members=["marco"])
            assert made.get("invited") == ["marco"], made
            rooms.append(made["chat"])
        self.marco.evaluate("location.hash = '#chats'")
        self.marco.wait_for("document.querySelectorAll('#invitations li').length === 2")
        assert "Cinema muto" in self.marco.evaluate("document.querySelector('#invitations').textContent")
        self.look_at(self.marco, "invitations")
        self.marco.click(f"#invitations [data-chat='{rooms[0]}'] .accept")
        self.marco.wait_for("document.querySelector('#peer')?.textContent === 'Cinema muto' && document.querySelector('#text') !== null")
        self.marco.click(f"#invitations [data-chat='{rooms[1]}'] .decline")
        self.marco.wait_for("document.querySelector('#invitations') === null")
        self.trial.wait_until(lambda: self.server.command("marco", type="room.invitations")["count"] == 0)
        self.server.command("marco", type="room.leave", chat=rooms[0])

    def mute_chat(self):
        mutes = lambda: self.server.command("anna", type="preferences")["mute"].get("chats", {})  # noqa: E731
        mark = f"document.querySelector('[data-chat=\"{self.room}\"] .mutedMark')"
        self.open(self.anna, "chats")
        self.of_group(self.anna, "Mute notifications")
        self.anna.wait_for(f"{mark} !== null")
        self.trial.wait_until(lambda: mutes() == {self.room: True})
        self.open(self.anna, "room")
        self.anna.click("#room-mute")
        self.trial.wait_until(lambda: mutes() == {})
        self.anna.evaluate("location.hash = '#chats'")
        self.anna.wait_for(f"document.querySelector('[data-chat=\"{self.room}\"]') !== null && {mark} === null")
