import { isSame } from "./patches.js";
// What a list shows: confirmed rows, with the writes that wait laid over them in their order, and how one list differs from another. Pure.

/**
 * What waiting writes make of lists. The part for writes brings it, and until then lists show confirmed rows. `rows`: functions by the
 * kind of a list, of rows, entries and a context; the others are those of `PatchedItems`.
 */
export const layers = { rows: {}, shapes: {} };

/** What is true of rows without any write. Rows of other kinds are shown as they are. */
const CONFIRMED = {
  inbox: (rows, { seenUpTo = 0, now = "" }) => rows.filter(row => !(row.expires && row.expires <= now))
    .map(row => {
      const seen = row.seen || row.seq <= seenUpTo;
      return row.seen === seen ? row : { ...row, seen };
    }),
  /** Those that wait for an answer. */
  invitations: (rows, { now = "" }) => rows.filter(({ expires }) => expires > now),
  preferences: rows => rows,
  /** Never less than none. */
  unread: ({ chats, notifications }, _, confirmed) => ({ chats: Math.max(0, chats), notifications: Math.max(0, notifications), confirmed }),
};

/** The items of a list, or its one value: rows, entries and a context in. */
export function overlaid(kind, rows, entries, context) {
  const changed = entries.length > 0 && layers.rows[kind]?.(rows, entries, context) || rows;
  return CONFIRMED[kind]?.(changed, context, rows) ?? [...changed];
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
