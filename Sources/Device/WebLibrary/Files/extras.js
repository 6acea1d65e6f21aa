import { identityOf } from "./overlay.js";
// Items that stand aside from the sorted ones, at one end of a list: messages that are not sent yet, chats that were written to.

/** The index of such an item; -1 when there is none of this name. */
export function extraAt({ shape }, steps, part, name, user, skipped = 0) {
  const [from, to] = shape.extrasFirst ? [0, part.start] : [part.end, steps.items.length];
  for (let index = from + skipped; index < to; index++) if (identityOf(steps.items[index], user) === name) return index;
  return -1;
}

/** Brings them up to date. They are few: all of them are compared. `list` is a `PatchedItems`. */
export function patchExtras(list, steps, part, find, pending) {
  const { user } = pending.context;
  const { extras, extrasFirst } = list.shape;
  const items = extras(list, pending);
  const wanted = items.map(item => identityOf(item, user));
  const all = new Set(wanted);
  const first = extrasFirst ? 0 : part.end;
  let count = extrasFirst ? part.start : steps.items.length - part.end;
  for (let index = first + count - 1; index >= first; index--) {
    if (all.has(identityOf(steps.items[index], user))) continue;
    steps.remove(index);
    count -= 1;
    if (extrasFirst) Object.assign(part, { start: part.start - 1, end: part.end - 1 });
  }
  for (const [place, item] of items.entries()) {
    const index = first + place;
    let from = extraAt(list, steps, part, wanted[place], user, place);
    if (from < 0) {
      // One of the sorted items comes to stand aside, or it is new.
      from = extrasFirst ? find(item[list.window.key]) : -1;
      if (extrasFirst) part.start += 1;
      if (extrasFirst && from < 0) part.end += 1;
    }
    if (from === index) steps.change(index, item);
    else if (from < 0) steps.add(index, item);
    else steps.move(from, () => index, item);
  }
  list.extraCount = items.length;
}

/** The keys of a user's messages among rows, with how many rows have each: a message that was sent is no longer shown as one that waits. */
export class OwnKeys {
  constructor(rows, user) {
    Object.assign(this, { user, counts: new Map() });
    for (const row of rows) this.count(row, 1);
  }

  has(key) {
    return this.counts.has(key);
  }

  count(row, by) {
    if (row?.from !== this.user || !row.key) return;
    const number = (this.counts.get(row.key) ?? 0) + by;
    if (number) this.counts.set(row.key, number);
    else this.counts.delete(row.key);
  }

  /** @param {Map<any, object>} before the rows that were there, by the keys of those that are others now */
  recount(before, window) {
    for (const [key, row] of before) {
      this.count(row, -1);
      this.count(window.get(key), 1);
    }
  }
}
