"""More attacks with a normal token: on people, with rooms, invitations, reports and requests that are refused."""

import asyncio
import itertools

from adversary import Trial
from attacks import request
from costs import KEYS, Poster, attack_with, command, fire, key, open_chat, own, posted, with_friend
from Trials.device import Peer


def rooms_of_strangers(gun, sent):
    """Each room is made with thirty people that nobody knows."""
    return command("room.create", title="Films", members=[f"stranger{next(KEYS)}" for _ in range(30)], key=key())


async def own_rooms(field):
    """A room of each user: its name by the user's number."""
    rooms = []
    for number in range(len(field.tokens)):
        peer = await Peer.session(field.port, field.tokens[number], "maker")
        reply = await peer.ok({"id": 1, "type": "room.create", "title": "Films", "members": ["friend"], "key": key()})
        rooms.append(reply["ok"]["chat"])
        peer.close()
    return rooms


async def invited_again(field):
    """The same two hundred people are invited again and again, and taken back one by one."""
    rooms = dict(zip(field.tokens, await own_rooms(field), strict=True))
    guests = [f"guest{number}" for number in range(200)]

    def commands(gun, sent):
        room = rooms[gun.token]
        if sent % 2:
            return command("room.remove", chat=room, user=guests[sent // 2 % 200])
        return command("room.invite", chat=room, members=guests, key=key())
    await asyncio.gather(*(attack_with(field, number, commands) for number in range(field.size(16, 100, 2))))


async def edited_and_reported(field):
    """One message of each user is edited as fast as that goes, and the friend reports the messages meanwhile."""
    chats = itertools.cycle((field.user(number), with_friend(field.user(number)))
                            for number in range(len(field.tokens)))

    def edits(gun, sent):
        return command("edit", chat=with_friend(own(gun)), n=1, text=f"{next(KEYS)} " + "x" * 3000, key=key())

    def reports(gun, sent):
        user, chat = next(chats)
        return command("report", user=user, chat=chat, n=1, category="spam", key=key())
    await asyncio.gather(
        attack_with(field, 0, reports, token=field.friend),
        *(attack_with(field, number, edits, 50) for number in range(field.size(16, 100, 2))))


class Curious(Poster):
    """A connection that asks for pages of operators, which its token may not see."""

    def post(self, count):
        self.transport.write(b"".join(
            request("GET", f"/v1/users/{next(KEYS)}/export", token=self.token) for _ in range(count)))


TRIALS = [
    # A user makes twenty people in a day, asks each of them five times, and is in a thousand rooms at most.
    Trial("21", "rooms of invented people", fire(rooms_of_strangers, 16, 100), rows={
        "users": lambda users: 21 * users, "room_invitations": lambda users: 100 * users, "rooms": lambda users: 1000 * users}),
    Trial("21", "invitations again and again", invited_again, rows={
        "users": lambda users: users + 210, "room_invitations": lambda users: 200 * users}, inQuick=False),
    Trial("22", "edits, and reports of them", edited_and_reported, open_chat, rows={"reports": lambda users: 51}, inQuick=False),
    # A row in a minute for each, and one that counts what was left out.
    Trial("23", "requests of operators, refused", posted(Curious, 50, 200, 4), rows={"audit": lambda users: 4 * users}),
]
