import { composePatches } from "./patches.js";
// What is known of each kind of write: its lane, how one knows that it is done, and what it may be merged with.

const TOPICS = new Set(["follow", "unfollow"]);
const PEOPLE = new Set(["block", "unblock", "report"]);
const INBOX = new Set(["seen", "snooze"]);
/** How a write ends that the app has taken back. */
export const CANCELLED = { code: "cancelled", class: "cancelled", message: "the write was cancelled" };
/** Commands on a path; only these hold those after them when they are refused. */
export const DOCUMENTS = new Set(["put", "patch", "remove"]);
/** A repetition of these changes nothing, or is found out by comparing; of all others only their own event tells. */
const REPEATABLE = new Set(["put", "patch", "remove", "read", "seen", "snooze", "archive", "block", "unblock", "preferences"]);

/** The chat of two people: their ids in the order of their bytes. */
export function pairChat(one, other) {
  return one < other ? `${one}:${other}` : `${other}:${one}`;
}

/** The first part of ids that have two, as the server reads paths. */
const COMPOUND = new Set(["movie", "tv"]);

/** The collection of a document: `people/525/credits` of `people/525/credits/movie/603`. */
export function collectionOf(path) {
  const parts = path.split("/");
  let place = 0;
  while (place + 2 < parts.length) {
    const length = COMPOUND.has(parts[place + 1]) && parts[place] !== "users" ? 3 : 2;
    if (place + length >= parts.length) break;
    place += length;
  }
  return parts.slice(0, place + 1).join("/");
}

/** Writes of one lane go one after the other, in the order of the calls. */
export function laneOf(command, user) {
  const { type, chat, to, path } = command;
  if (DOCUMENTS.has(type)) return `doc:${path}`;
  if (TOPICS.has(type)) return "topics";
  if (PEOPLE.has(type)) return "people";
  // A chat that is archived is in the lane of that chat.
  if (INBOX.has(type) || type === "archive" && !chat) return "inbox";
  if (chat || to) return `chat:${chat ?? pairChat(user, to)}`;
  return type === "preferences" ? "preferences" : "other";
}

/** A new entry of the outbox, as it is stored; the store gives it its order. */
export function makeEntry(key, command, base, user) {
  const isDocument = DOCUMENTS.has(command.type);
  return {
    key, order: null, command, lane: laneOf(command, user), state: "queued", firstSent: null, attempts: 0, error: null,
    base: isDocument ? base : null, isChained: isDocument && command.ifVersion === undefined,
  };
}

/** Whether the server does no harm when it does a write twice, also when it has forgotten the key. */
export function isProvable(command) {
  // A message that one person reports twice is one report; of a person there may be a second one when the first is decided.
  return REPEATABLE.has(command.type) || command.type === "report" && command.n !== undefined;
}

/** The command that does what both do; null when they must stay two. */
export function mergeCommands(first, second) {
  if (first.type !== second.type) return null;
  switch (first.type) {
  case "read": return { ...first, n: Math.max(first.n, second.n) };
  case "seen":
    if (first.upTo === undefined || second.upTo === undefined) return null;
    return { ...first, upTo: Math.max(first.upTo, second.upTo) };
  case "preferences": {
    const set = composePatches(first.set, second.set);
    return set && { ...first, set };
  }
  default: return null;
  }
}

const EVENTS = {
  send: "message", recommend: "message", edit: "message.edited", delete: "message.deleted", react: "reaction",
  read: "read", archive: "archived", follow: "followed", unfollow: "unfollowed", block: "blocked", unblock: "unblocked",
  "room.decline": "room.uninvited", preferences: "preferences", put: "document", patch: "document", remove: "document",
};

/**
 * The `ok` of a write as its own event tells it; null when the event is of another write. A key is its user's own, so
 * somebody else's event with the same key proves nothing.
 */
export function okFromEvent(command, event, user) {
  const type = EVENTS[command.type] ?? (command.type.startsWith("room.") ? "room" : null);
  if (type === null || event.type !== type) return null;
  const author = event.type === "message" || event.type === "message.edited" ? event.from : event.by ?? event.user;
  if (author !== undefined && author !== user && event.type !== "blocked" && event.type !== "unblocked") return null;
  if (command.path !== event.path || command.chat && command.chat !== event.chat) return null;
  const { seq, chat, n, at, rev, path, version, data, preferences } = event;
  if (type === "preferences") return preferences;
  const ok = { message: { chat, n, seq, at }, "message.edited": { seq, rev }, document: { path, version, seq, data },
    room: { chat, seq } }[type] ?? { seq };
  return Object.fromEntries(Object.entries(ok).filter(([, value]) => value !== undefined));
}
