import { collectionOf, pairChat } from "./lanes.js";
// What an event, or a fetched page, changes in the rows of the store. Pure: rows in, changes out.

/** The name of a row, wherever rows are kept by name. */
export function rowName(table, key) {
  return `${table}/${Array.isArray(key) ? key.join("/") : key}`;
}

/**
 * The rows that `mirrorEvent` looks at: `[table, key]`; `["messages", chat, n]` with three members are all messages of a
 * chat after `n`.
 */
export function rowsOf(event) {
  const { type, chat, n, id, ids, path, to } = event;
  switch (type) {
  case "message": case "message.edited": case "message.deleted": case "reaction":
    return [["chats", chat], ["messages", [chat, n]]];
  case "read": return [["chats", chat], ["messages", chat, n]];
  case "archived": case "delivered": case "room": return [["chats", chat]];
  case "room.invited": case "room.uninvited": return [["meta", "invitations"]];
  case "chat.renamed": return [["chats", chat], ["chats", to]];
  case "notification.seen": return ids ? ids.map(id => ["inbox", id]) : [["meta", "seenUpTo"]];
  case "notification.edited": return [["inbox", id]];
  case "document": return [["documents", path]];
  default: return [];
  }
}

/**
 * The changes that an event makes: `{put: [table, row]}`, `{delete: [table, key]}`, `{deleteMessages: chat}`,
 * `{moveMessages: [chat, chat]}`.
 * @param {Map<string, any>} rows what `rowsOf` asked for, by `rowName`; a list of messages by `rowName("messages", chat)`
 * @param {{user: string, head?: number}} context `head`: the position of the log at `hello`, while missed events come. They
 * bring messages as they are now, with the reactions up to there.
 */
export function mirrorEvent(event, rows, { user, head = 0 }) {
  const { type, seq, chat, n } = event;
  const conversation = chat === undefined ? null : rows.get(rowName("chats", chat)) ?? null;
  const message = n === undefined ? null : rows.get(rowName("messages", [chat, n])) ?? null;
  switch (type) {
  case "message": return takeMessage(event, conversation, message, { user, head });
  case "message.edited": {
    // A device that was away gets every edit, but only the newest with its text.
    if (event.text === undefined && event.product === undefined || (message?.rev ?? 0) >= event.rev) return [];
    const { text, product, rev, editedAt } = event;
    return changeMessage(conversation, message ?? onlyLast(conversation, n), { text, product, rev, editedAt });
  }
  case "message.deleted": return deleteMessage(event, conversation, message, user);
  case "reaction": {
    const found = message ?? onlyLast(conversation, n);
    if (!found || found.deleted || seq <= (found.asOf ?? 0)) return [];
    return changeMessage(conversation, found, { reactions: react(found.reactions ?? [], event, event.user === user) });
  }
  case "read": return takeRead(event, conversation, rows.get(rowName("messages", chat)) ?? [], user);
  case "delivered":
    if (!conversation || event.user === user || (conversation.delivered ?? 0) >= n) return [];
    return [{ put: ["chats", { ...conversation, delivered: n }] }];
  case "archived": return conversation ? [{ put: ["chats", { ...conversation, archived: event.on }] }] : [];
  case "room": return takeRoom(event, conversation, user);
  case "room.invited": case "room.uninvited": return takeInvitation(event, rows.get(rowName("meta", "invitations"))?.value ?? []);
  case "chat.renamed": {
    if (!conversation || chat === event.to) return [];
    const other = event.to.split(":").find(id => id !== user);
    return [{ delete: ["chats", chat] }, { moveMessages: [chat, event.to] }, { put: ["chats", { ...conversation, chat: event.to, with: other }] }];
  }
  case "followed": return [{ put: ["topics", { topic: event.topic }] }];
  case "unfollowed": return [{ delete: ["topics", event.topic] }];
  case "preferences": return [{ put: ["meta", { name: "preferences", value: event.preferences }] }];
  case "unread": return [{ put: ["meta", { name: "unread", value: { chats: event.chats, notifications: event.notifications } }] }];
  case "notification": {
    if (seq === undefined) return [];  // of the moment: in no inbox
    const { type: _, ...row } = event;
    return [{ put: ["inbox", { ...row, seen: false }] }];
  }
  case "notification.seen": {
    const known = (event.ids ?? []).map(id => rows.get(rowName("inbox", id))).filter(Boolean);
    if (event.ids) return known.map(row => ({ put: ["inbox", { ...row, seen: true }] }));
    const before = rows.get(rowName("meta", "seenUpTo"))?.value ?? 0;
    return event.upTo > before ? [{ put: ["meta", { name: "seenUpTo", value: event.upTo }] }] : [];
  }
  case "notification.edited": {
    const known = rows.get(rowName("inbox", event.id));
    const { title, body, data } = event;
    return known ? [{ put: ["inbox", { ...known, title, body, data }] }] : [];
  }
  case "notification.removed": return [{ delete: ["inbox", event.id] }];
  case "document": {
    const { path, version, data } = event;
    if ((rows.get(rowName("documents", path))?.seq ?? 0) >= seq) return [];
    return [data === null ? { delete: ["documents", path] } : { put: ["documents", documentRow({ path, version, seq, data })] }];
  }
  default: return [];
  }
}

/** An emoji without U+FE0F: keyboards write it with and without, and both are one reaction. */
export function bareEmoji(emoji) {
  return emoji.replaceAll("\u{FE0F}", "");
}

/** The row of a document as `watch`, `get` and the event show it. */
export function documentRow({ path, version, seq, data }) {
  return { path, collection: collectionOf(path), version, seq, data };
}

/** The row of a chat of the reply to `chats`; what is known of its messages stays. */
export function chatRow(listed, before, asOf) {
  const top = Math.max(listed.last?.n ?? 0, before?.top ?? 0);
  const gaps = missing(before, listed.last?.n ?? 0);
  return { ...listed, delivered: before?.delivered ?? 0, top, gaps, seq: listed.last?.seq ?? before?.seq ?? 0, asOf };
}

/** The row of a message of `history`, `chats` or an event. */
export function messageRow({ type: _, ...message }, asOf) {
  return { ...message, rev: message.rev ?? 1, asOf };
}

/**
 * The changes of a page of `history`: its messages, and the gap that it fills.
 * @param {{before?: number, after?: number, next?: string}} asked what was asked for, and the `next` of the answer
 */
export function mirrorHistory(conversation, messages, { before, after, next }, asOf) {
  const numbers = messages.map(message => message.n);
  const first = after !== undefined ? after + 1 : next === undefined ? 1 : Math.min(...numbers);
  const last = before !== undefined ? before - 1 : after !== undefined && next !== undefined ? Math.max(...numbers)
    : Math.max(conversation.top, ...numbers);
  const gaps = conversation.gaps.flatMap(([from, to]) => [[from, Math.min(to, first - 1)], [Math.max(from, last + 1), to]])
    .filter(([from, to]) => from <= to);
  const top = Math.max(conversation.top, ...numbers);
  return [...messages.map(message => ({ put: ["messages", messageRow(message, asOf)] })), { put: ["chats", { ...conversation, gaps, top }] }];
}

function emptyChat(chat, user) {
  const members = chat.startsWith("room:") ? {} : { with: chat.split(":").find(id => id !== user && pairChat(id, user) === chat) };
  return { chat, ...members, unread: 0, read: 0, peerRead: 0, muted: false, archived: false, delivered: 0, top: 0, gaps: [], seq: 0 };
}

/** The gaps of a chat after a message with a number: those between the newest known one and it are not here. */
function missing(conversation, n) {
  const [gaps, top] = [conversation?.gaps ?? [], conversation?.top ?? 0];
  if (n > top + 1) return [...gaps, [top + 1, n - 1]];
  return gaps;
}

function without(gaps, n) {
  return gaps.flatMap(([from, to]) => n < from || n > to ? [[from, to]] : [[from, n - 1], [n + 1, to]]).filter(([from, to]) => from <= to);
}

function takeMessage(event, conversation, known, { user, head }) {
  const { chat, n, seq, from } = event;
  // Without `rev` nobody has changed it, and all changes are still to come.
  const row = messageRow(event, event.rev === undefined ? seq : Math.max(seq, head));
  const before = conversation ?? emptyChat(chat, user);
  const after = { ...before, gaps: n > before.top ? missing(before, n) : without(before.gaps, n), top: Math.max(before.top, n) };
  if (seq > (before.asOf ?? 0)) {
    const isUnread = from !== user && n > before.read && !event.deleted;
    Object.assign(after, { unread: before.unread + (isUnread ? 1 : 0), archived: false });
    if (n >= (before.last?.n ?? 0)) Object.assign(after, { last: row, seq });
  }
  const isNews = !known || row.rev >= known.rev;
  return [...(isNews ? [{ put: ["messages", row] }] : []), { put: ["chats", after] }];
}

/** A message that is known only as the last one of its chat. */
function onlyLast(conversation, n) {
  return conversation?.last?.n === n ? { ...conversation.last, isOnlyLast: true } : null;
}

function changeMessage(conversation, found, change) {
  if (!found) return [];
  const { isOnlyLast, ...message } = found;
  const row = Object.fromEntries(Object.entries({ ...message, ...change }).filter(([, value]) => value !== undefined));
  const isLast = conversation?.last?.n === row.n;
  return [...(isOnlyLast ? [] : [{ put: ["messages", row] }]), ...(isLast ? [{ put: ["chats", { ...conversation, last: row }] }] : [])];
}

function deleteMessage({ seq, n, rev }, conversation, message, user) {
  const found = message ?? onlyLast(conversation, n);
  if (!found || (found.deleted && found.rev >= rev)) return [];
  const wasUnread = conversation && !found.deleted && found.from !== user && n > conversation.read && seq > (conversation.asOf ?? 0);
  const after = wasUnread ? { ...conversation, unread: Math.max(0, conversation.unread - 1) } : conversation;
  const changes = changeMessage(after, found, { text: undefined, product: undefined, replyTo: undefined, reactions: undefined, deleted: true, rev });
  return wasUnread && after.last?.n !== n ? [...changes, { put: ["chats", after] }] : changes;
}

/** `count` is what there is now; an older server does not say it. */
function react(reactions, { emoji, on, count }, isMine) {
  const same = reactions.filter(reaction => bareEmoji(reaction.emoji) === bareEmoji(emoji));
  const found = same[0] ?? { emoji, count: 0, mine: false };
  if (isMine && found.mine === on && (count ?? found.count) === found.count) return reactions;
  const changed = { ...found, count: count ?? found.count + (on ? 1 : -1), mine: isMine ? on : found.mine };
  const rest = reactions.filter(reaction => reaction === found || !same.includes(reaction));
  return (same.length ? rest.map(reaction => reaction === found ? changed : reaction) : [...rest, changed])
    .filter(reaction => reaction.count > 0);
}

function takeRead({ seq, user: reader, n }, conversation, later, user) {
  if (!conversation || seq <= (conversation.asOf ?? 0)) return [];
  if (reader !== user) {
    if (!conversation.with || conversation.peerRead >= n) return [];
    return [{ put: ["chats", { ...conversation, peerRead: n }] }];
  }
  if (conversation.read >= n) return [];
  // Exact where all messages after it are here; else no more than there can be.
  const rest = Math.max(0, conversation.top - n);
  const unread = later.length === rest ? later.filter(({ from, deleted }) => from !== user && !deleted).length : Math.min(conversation.unread, rest);
  return [{ put: ["chats", { ...conversation, read: n, unread }] }];
}

/** The list stands in one row: a person has a hundred invitations at most. */
function takeInvitation({ type, chat, title, by, at, expires }, known) {
  const others = known.filter(invitation => invitation.chat !== chat);
  const value = type === "room.invited" ? [...others, { chat, title, by, at, expires }] : others;
  return [{ put: ["meta", { name: "invitations", value }] }];
}

function takeRoom({ seq, chat, change, user: person, users, room }, conversation, user) {
  const isAboutMe = person === user || (users ?? []).includes(user);
  if (isAboutMe && (change === "left" || change === "removed")) return [{ delete: ["chats", chat] }, { deleteMessages: chat }];
  const before = conversation ?? emptyChat(chat, user);
  // The role is that of the people whom the event concerns.
  const role = (isAboutMe && room.role) || before.role || "member";
  return [{ put: ["chats", { ...before, ...room, role, seq: Math.max(before.seq, seq) }] }];
}
