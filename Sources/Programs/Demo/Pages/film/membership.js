// Who is in a room, and which rooms are closed for this user. The server has the lists; they change while one looks at them.

import { changed } from "../shell/dom.js";
import { here, say } from "../shell/here.js";
import { t } from "../shell/words.js";
import { nameOf, route } from "../shell/frame.js";
import { chatOf } from "./chat.js";

const PAGE = 200;
/** How long a list that could not be read is left alone. */
const PAUSE_MS = 10_000;
const rooms = new Map();

/** `members` is null until they are here; `closed` says why the user is not in it, as far as that is known. */
function roomOf(id) {
  let room = rooms.get(id);
  if (!room) {
    room = { members: null, closed: null, isReading: false, isOld: false };
    rooms.set(id, room);
    read(id);
  }
  return room;
}

async function listed(id) {
  const found = [];
  for (let after; ;) {
    const { members, next } = await here.ww.rooms.members(id, { limit: PAGE, after });
    found.push(...members);
    if (!next) return found;
    after = next;
  }
}

/** Reads the list, and once more if something has changed meanwhile. Without a connection the next one does it. */
async function read(id) {
  const room = rooms.get(id);
  room.isOld = true;
  if (room.isReading || here.state.name !== "live") return;
  room.isReading = true;
  try {
    while (room.isOld) {
      room.isOld = false;
      room.members = await listed(id);
      room.closed = null;
    }
  } catch (error) {
    if (error.kind === "permanent") room.closed ??= {};
    else setTimeout(read, PAUSE_MS, id);
  }
  room.isReading = false;
  changed();
}

/** The change of an event in the list that is here. */
function apply(room, { change, user, until, room: { role } = {} }) {
  if (!room.members) return;
  if (change === "removed" || change === "left") room.members = room.members.filter(one => one.user !== user);
  const fields = change === "role" ? { role } : change === "muted" ? { muted: until } : null;
  if (fields) room.members = room.members.map(one => one.user === user ? { ...one, ...fields } : one);
}

function heard(event) {
  const { chat, change, user, users, by, room: { title } = {} } = event;
  const isAboutMe = user === here.user || users?.includes(here.user);
  if (isAboutMe && ["removed", "left"].includes(change)) {
    Object.assign(roomOf(chat), { members: null, closed: { change, by, title } });
    if (change === "removed" && route()[1] !== chat) say(closedText(rooms.get(chat).closed));
  } else if (rooms.has(chat)) {
    apply(rooms.get(chat), event);
    if (!["role", "muted", "updated"].includes(change)) read(chat);
  }
  changed();
}

/** Begins to know them. */
export function beginMembership() {
  here.ww.on("room", heard);
  here.ww.on("state", ({ name }) => {
    if (name === "live") for (const id of rooms.keys()) read(id);
  });
}

/** The members with what waits to be sent. */
function withWaiting(id, members) {
  const waits = here.outbox.filter(({ command, state }) => command.chat === id && state !== "failed");
  return waits.reduce((rows, { command: { type, user, role, until }, state }) => {
    if (type === "room.remove") return rows.filter(row => row.user !== user);
    const fields = type === "room.role" ? { role } : type === "room.mute" ? { muted: until } : null;
    return fields ? rows.map(row => row.user === user ? { ...row, ...fields, pending: state } : row) : rows;
  }, members);
}

/** The members of a room: `{user, role, joined}`, with `muted` if one may not write until then; null until they are here. */
export function membersOf(id) {
  const { members } = roomOf(id);
  return members && withWaiting(id, members.map(row => ({ ...row, muted: row.muted > new Date().toISOString() ? row.muted : undefined })));
}

/** Why a room is closed for this user, if it is: `{change, by, title}`, as far as that is known. */
export const closedOf = id => chatOf(id) ? null : roomOf(id).closed;

/** The same in words. */
export function closedText({ change, by, title }) {
  if (change === "removed") return t("room.removedYou", { name: by ? nameOf(by) : "", title });
  return change === "left" ? t("room.youLeft", { title }) : t("room.closed");
}

/** The time until when this user may not write there. */
export const mutedUntil = id => membersOf(id)?.find(({ user }) => user === here.user)?.muted;

/** Whether this user may invite and rename. */
export const isModerator = id => ["owner", "moderator"].includes(chatOf(id)?.role);
