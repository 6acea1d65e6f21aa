import { bareEmoji } from "./mirror.js";
import { collectionOf, pairChat } from "./lanes.js";
import { mergePatch } from "./patches.js";
import { OwnKeys, extraAt, patchExtras } from "./extras.js";
// What the writes that wait make of lists, as `layers` in overlay.js has it: of their rows, and of how they are patched. Pure.

/** The writes that lists show: a refused one has no effect any more, but a message that was refused can be tried again. */
function showing(entries, ...types) {
  return entries.filter(({ command, state }) => types.includes(command.type) && state !== "failed");
}

/** The chat that a command is about; to a person, that of the two. */
export function chatOf({ chat, to }, user) {
  return chat ?? pairChat(user, to);
}

/** A message that is not sent yet: without `n`, at the end. */
function pendingMessage({ key, command, state, error, order }, user) {
  const { text, note, product, replyTo } = command;
  const shown = { chat: chatOf(command, user), from: user, key, text: text ?? note, product, replyTo };
  const members = { ...shown, pending: state, order, error: error ?? undefined };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Functions by list: rows, entries and a context in, the rows with the writes on them out. */
const ROWS = {
  messages(rows, entries, { user, chat }) {
    const own = entries.filter(({ command }) => ["edit", "delete", "react"].includes(command.type) && command.chat === chat);
    const changed = new Map();  // only the rows that a write touches are copied
    for (const entry of showing(own, "edit", "delete", "react")) changed.set(entry.command.n, [...changed.get(entry.command.n) ?? [], entry]);
    const items = changed.size ? rows.map(row => changed.has(row.n) ? changed.get(row.n).reduce(changeLocally, { ...row }) : row) : rows;
    const sending = entries.filter(({ command }) => ["send", "recommend"].includes(command.type) && chatOf(command, user) === chat);
    if (sending.length === 0) return [...items];
    // The row may be here before the entry is known to be gone: another tab has stored it. An uncertain one waits for the app.
    const done = new Set(rows.filter(({ from }) => from === user).map(({ key }) => key));
    const sent = sending.filter(({ key, state }) => state === "uncertain" || !done.has(key));
    return [...items, ...sent.map(entry => pendingMessage(entry, user))];
  },

  chats(rows, entries, { user }) {
    const items = new Map(rows.map(row => [row.chat, row]));
    const first = [];
    for (const entry of showing(entries, "read", "archive", "send", "recommend")) {
      const { command } = entry;
      const id = chatOf(command, user);
      const item = items.get(id);
      if (command.type === "read" && item) {
        const unread = command.n >= item.top ? 0 : Math.min(item.unread, item.top - command.n);
        items.set(id, { ...item, unread, read: Math.max(item.read, command.n) });
      } else if (command.type === "archive" && item) items.set(id, { ...item, archived: command.on });
      else if (command.type === "send" || command.type === "recommend") {
        const other = id.startsWith("room:") ? {} : { with: command.to ?? id.split(":").find(name => name !== user) };
        items.set(id, { chat: id, ...other, unread: 0, ...item, archived: false, last: pendingMessage(entry, user) });
        first.push(id);
      }
    }
    // The chat that was written to last stands first.
    const order = [...new Set([...first.reverse(), ...items.keys()])];
    return order.map(id => items.get(id));
  },

  inbox(rows, entries) {
    // An archived chat has no ids.
    const away = new Set(showing(entries, "snooze", "archive").flatMap(({ command }) => command.ids ?? []));
    const seen = showing(entries, "seen");
    const takes = (command, row) => row.seq <= (command.upTo ?? -1) || command.ids?.includes(row.id);
    return rows.filter(row => !away.has(row.id))
      .map(row => row.seen || !seen.some(({ command }) => takes(command, row)) ? row : { ...row, seen: true });
  },

  /** `rows` are the counts of the server; `chats` and `inbox` the confirmed rows. */
  unread(rows, entries, { chats, inbox, user, seenUpTo }) {
    const unseen = inbox.filter(row => !row.seen && !(row.seq <= seenUpTo));
    const left = ROWS.inbox(unseen, entries).filter(row => !row.seen);
    const shown = new Map(ROWS.chats(chats, showing(entries, "read"), { user }).map(item => [item.chat, item]));
    const readChats = chats.filter(chat => chat.unread > 0 && shown.get(chat.chat)?.unread === 0).length;
    return { chats: rows.chats - readChats, notifications: rows.notifications - (unseen.length - left.length) };
  },

  /** `end` is the last one of a list that goes on in the store: what comes after it is not shown. */
  topics(rows, entries, { end } = {}) {
    const items = new Map(rows.map(row => [row.topic, row]));
    for (const { command, state } of showing(entries, "follow", "unfollow")) {
      if (command.topic > end) continue;
      if (command.type === "unfollow") items.delete(command.topic);
      else if (!items.has(command.topic)) items.set(command.topic, { topic: command.topic, pending: state });
    }
    return [...items.values()].sort((one, other) => one.topic < other.topic ? -1 : 1);
  },

  /** One that was answered here is gone, whether or not the server knows. */
  invitations(rows, entries) {
    const answered = new Set(showing(entries, "room.accept", "room.decline", "room.join").map(({ command }) => command.chat));
    return rows.filter(({ chat }) => !answered.has(chat));
  },

  /** The documents of a collection, or the one of a path. `end` as in `topics`. */
  documents(rows, entries, { path, isCollection, end }) {
    const items = new Map(rows.map(row => [row.path, row]));
    for (const { command, state } of showing(entries, "put", "patch", "remove")) {
      const isHere = isCollection ? collectionOf(command.path) === path : command.path === path;
      if (!isHere || command.path > end) continue;
      const before = items.get(command.path);
      if (command.type === "remove") items.delete(command.path);
      else {
        const data = command.type === "put" ? command.data : mergePatch(before?.data ?? null, command.data);
        items.set(command.path, { path: command.path, version: 0, ...before, data, pending: state });
      }
    }
    return [...items.values()].sort((one, other) => one.path < other.path ? -1 : 1);
  },

  preferences(rows, entries) {
    return showing(entries, "preferences").reduce((object, { command }) => mergePatch(object, command.set), rows);
  },
};

/** What a waiting write makes of a message, which is a copy. */
function changeLocally(item, { command, state }) {
  if (item.deleted) return item;
  item.pending = state;
  if (command.type === "edit") item.text = command.text;
  if (command.type === "delete") for (const name of ["text", "product", "reactions"]) delete item[name];
  if (command.type === "delete") item.deleted = true;
  if (command.type === "react") item.reactions = reactLocally(item.reactions ?? [], command);
  return item;
}

function reactLocally(reactions, { emoji, on }) {
  const found = reactions.find(reaction => bareEmoji(reaction.emoji) === bareEmoji(emoji));
  if ((found?.mine ?? false) === on) return reactions;
  if (!found) return [...reactions, { emoji, count: 1, mine: true }];
  return reactions.map(reaction => reaction === found ? { ...found, count: found.count + (on ? 1 : -1), mine: on } : reaction)
    .filter(reaction => reaction.count > 0);
}

const writes = (entry, ...types) => types.includes(entry.command.type) && entry.state !== "failed";
const isSend = ({ command }) => command.type === "send" || command.type === "recommend";

/**
 * By the kind of a list: `keysOf`, the keys of the rows that a waiting write may show in; null when these cannot be named, and
 * `wide` says it of all writes together. `extras`: items that stand aside from the sorted ones, at one end.
 */
const SHAPES = {
  messages: {
    keysOf: (entry, { chat }) => writes(entry, "edit", "delete", "react") && entry.command.chat === chat ? [entry.command.n] : [],
    extras: (items, { entries, context }) => {
      const { chat, user } = context;
      const sent = entries.filter(entry => isSend(entry) && chatOf(entry.command, user) === chat);
      if (sent.length) items.own ??= new OwnKeys(items.window.rows, user);
      return ROWS.messages([], sent.filter(entry => entry.state === "uncertain" || !items.own.has(entry.key)), context);
    },
    extraAt, patchExtras,
  },
  chats: {
    extrasFirst: true,
    keysOf: (entry, { user }) => writes(entry, "read", "archive", "send", "recommend") ? [chatOf(entry.command, user)] : [],
    front: (entries, { user }) => new Set(entries.filter(entry => isSend(entry) && entry.state !== "failed")
      .map(({ command }) => chatOf(command, user)).reverse()),
    extras: (items, pending) => [...pending.front].map(key => items.itemOf(key, pending, items.beyond.get(key))),
    extraAt, patchExtras,
  },
  inbox: {
    keysOf: entry => writes(entry, "seen") && entry.command.upTo !== undefined ? null
      : writes(entry, "seen", "snooze", "archive") ? entry.command.ids ?? [] : [],
    wide: entries => Math.max(-1, ...entries.map(({ command }) => command.upTo)),
  },
  topics: { keysOf: entry => writes(entry, "follow", "unfollow") ? [entry.command.topic] : [] },
  documents: {
    keysOf: (entry, { path }) => writes(entry, "put", "patch", "remove") && collectionOf(entry.command.path) === path ? [entry.command.path] : [],
  },
};

export const LAYERS = { rows: ROWS, shapes: SHAPES };
