import { isSame, mergePatch } from "./patches.js";
import { collectionOf, pairChat } from "./lanes.js";
import { bareEmoji } from "./mirror.js";
// What a list shows: confirmed rows, then the writes that wait, in their order. Pure.

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

/** Functions by list: rows, entries and a context in, the items out. */
export const OVERLAYS = {
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

  inbox(rows, entries, { seenUpTo = 0, now = "" }) {
    // An archived chat has no ids.
    const away = new Set(showing(entries, "snooze", "archive").flatMap(({ command }) => command.ids ?? []));
    const seen = showing(entries, "seen");
    const takes = (command, row) => row.seq <= (command.upTo ?? -1) || command.ids?.includes(row.id);
    const isSeen = row => row.seen || row.seq <= seenUpTo || seen.some(({ command }) => takes(command, row));
    return rows.filter(row => !away.has(row.id) && !(row.expires && row.expires <= now))
      .map(row => row.seen === isSeen(row) ? row : { ...row, seen: isSeen(row) });
  },

  /** `rows` are the counts of the server; `chats` and `inbox` the confirmed rows. Never more than the server says. */
  unread(rows, entries, { chats, inbox, user, seenUpTo }) {
    const before = OVERLAYS.inbox(inbox, [], { seenUpTo });
    const after = OVERLAYS.inbox(inbox, entries, { seenUpTo });
    const shown = new Map(OVERLAYS.chats(chats, showing(entries, "read"), { user }).map(item => [item.chat, item]));
    const readChats = chats.filter(chat => chat.unread > 0 && shown.get(chat.chat)?.unread === 0).length;
    const unseen = items => items.filter(item => !item.seen).length;
    return {
      chats: Math.max(0, rows.chats - readChats), notifications: Math.max(0, rows.notifications - (unseen(before) - unseen(after))), confirmed: rows,
    };
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

  /** Those that wait for an answer; one that was answered here is gone, whether or not the server knows. */
  invitations(rows, entries, { now = "" }) {
    const answered = new Set(showing(entries, "room.accept", "room.decline", "room.join").map(({ command }) => command.chat));
    return rows.filter(({ chat, expires }) => !answered.has(chat) && expires > now);
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

/** What an item is, over all its forms: a message that was sent has the key of the one that waited. */
export function identityOf(item, user) {
  if (item.path !== undefined) return item.path;
  if (item.topic !== undefined && item.id === undefined) return item.topic;
  if (item.id !== undefined) return item.id;
  if (item.from !== undefined) return item.from === user && item.key ? item.key : `${item.chat}/${item.n}`;
  return item.chat ?? item.key;
}

/**
 * The steps that make one list of another, one after the other: `{kind: "remove", index, item}`, `{kind: "add", index, item}`,
 * `{kind: "move", from, index, item}`, `{kind: "change", index, item}`.
 */
export function differences(before, after, user) {
  const wanted = after.map(item => identityOf(item, user));
  const all = new Set(wanted);
  const changes = [];
  const list = [...before];
  const names = list.map(item => identityOf(item, user));
  for (let index = list.length - 1; index >= 0; index--) {
    if (all.has(names[index])) continue;
    changes.push({ kind: "remove", index, item: list[index] });
    list.splice(index, 1);
    names.splice(index, 1);
  }
  const present = new Set(names);
  for (const [index, item] of after.entries()) {
    // Most stand where they are to stand: nothing moves for these. New ones need not be looked for.
    if (names[index] === wanted[index]) {
      if (!isSame(list[index], item)) changes.push({ kind: "change", index, item });
      list[index] = item;
      continue;
    }
    const from = present.has(wanted[index]) ? names.indexOf(wanted[index], index) : -1;
    if (from < 0) changes.push({ kind: "add", index, item });
    else changes.push({ kind: "move", from, index, item });
    if (from >= 0) {
      list.splice(from, 1);
      names.splice(from, 1);
    }
    list.splice(index, 0, item);
    names.splice(index, 0, wanted[index]);
  }
  // Two that were the same thing became one.
  while (list.length > after.length) changes.push({ kind: "remove", index: list.length - 1, item: list.pop() });
  return changes;
}
