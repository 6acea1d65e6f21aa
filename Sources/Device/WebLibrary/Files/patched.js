import { differences, identityOf, layers, overlaid } from "./overlay.js";
import { isSame } from "./patches.js";
import { placeIn } from "./windows.js";
// The items of a list, brought up to date where rows or waiting writes are others. They equal what `overlaid` makes of all rows.

/** When more than this, and more than a quarter of all, may be others, the list is made anew. */
const BULK_MIN = 500;

/** An array, and the steps that lead to it from another one, which stays as it is. */
class Steps {
  constructor(items) {
    Object.assign(this, { items, changes: [], isOwn: false });
  }

  own() {
    if (!this.isOwn) Object.assign(this, { items: this.items.slice(), isOwn: true });
    return this.items;
  }

  change(index, item) {
    if (isSame(this.items[index], item)) return;
    this.own()[index] = item;
    this.changes.push({ kind: "change", index, item });
  }

  remove(index) {
    const [item] = this.own().splice(index, 1);
    this.changes.push({ kind: "remove", index, item });
  }

  add(index, item) {
    const items = this.own();
    if (index === items.length) items.push(item);
    else items.splice(index, 0, item);
    this.changes.push({ kind: "add", index, item });
  }

  /** @param {() => number} place where it is to stand, when it is taken out */
  move(from, place, item) {
    const [old] = this.own().splice(from, 1);
    const index = place();
    this.items.splice(index, 0, item);
    if (index !== from) this.changes.push({ kind: "move", from, index, item });
    else if (!isSame(old, item)) this.changes.push({ kind: "change", index, item });
  }
}

/** The items that a list shows of a window of rows. */
export class PatchedItems {
  /** @param {number} [bulkMin] see `BULK_MIN` */
  constructor(kind, window, bulkMin = BULK_MIN) {
    Object.assign(this, { kind, window, bulkMin, items: [] });
    this.extraCount = 0;
    this.touched = new Set();  // keys of rows that waiting writes showed in
    this.own = null;           // the keys of the user's messages, where one is asked for
    this.setting = "";         // what all items depend on
    this.expiry = null;        // when the next item expires
    this.beyond = new Map();   // rows that are not in the window, and are shown all the same because of a waiting write
  }

  /** How waiting writes show in this list; nothing as long as their part is not here. */
  get shape() {
    return layers.shapes[this.kind] ?? {};
  }

  /** Brings the items up to date; returns the steps. */
  update(entries, context) {
    const before = this.window.takeBefore();
    const pending = this.pendingOf(entries, context);
    this.own?.recount(before, this.window);
    const keys = new Set([...before.keys(), ...this.touched, ...pending.byKey.keys()]);
    const setting = JSON.stringify([context.seenUpTo, pending.wide.length && this.shape.wide(pending.wide)]);
    const isOther = setting !== this.setting || this.expiry !== null && context.now >= this.expiry;
    const isBulk = isOther || keys.size > this.bulkMin && keys.size > this.items.length / 4;
    Object.assign(this, { setting, touched: new Set(pending.byKey.keys()) });
    if (this.kind === "inbox") this.noteExpiry(isOther ? this.window.rows : [...before.keys()].map(key => this.window.get(key)), isOther, context.now);
    return isBulk ? this.makeAnew(pending) : this.patch(keys, before, pending);
  }

  /** The keys of the rows that are shown because of waiting writes, although they are not in the window. */
  keysBeyond(entries, context) {
    return this.shape.front ? [...this.shape.front(entries, context)].filter(key => !this.window.get(key)) : [];
  }

  /** The waiting writes by the rows that they show in. */
  pendingOf(entries, context) {
    const pending = { entries, context, byKey: new Map(), wide: [] };
    for (const entry of entries) {
      const keys = this.shape.keysOf?.(entry, context);
      if (keys === null) pending.wide.push(entry);
      for (const key of keys ?? []) {
        if (pending.byKey.has(key)) pending.byKey.get(key).push(entry);
        else pending.byKey.set(key, [entry]);
      }
    }
    pending.front = this.shape.front?.(entries, context);
    return pending;
  }

  /** The item that one row and the writes on it make; null when the list does not show it. */
  itemOf(key, { byKey, wide, context }, beyond = null) {
    const row = this.window.get(key) ?? beyond;
    const entries = byKey.get(key) ?? [];
    if (this.kind !== "inbox" && entries.length === 0) return row;
    return overlaid(this.kind, row ? [row] : [], [...entries, ...wide], context)[0] ?? null;
  }

  makeAnew(pending) {
    const { entries, context } = pending;
    const beyond = [...this.beyond.values()].filter(row => row && pending.front?.has(row[this.window.key]) && !this.window.get(row[this.window.key]));
    const items = overlaid(this.kind, beyond.length ? [...this.window.rows, ...beyond] : this.window.rows, entries, context);
    const changes = differences(this.items, items, context.user);
    this.extraCount = this.shape.extras?.(this, pending).length ?? 0;
    this.items = items;
    return changes;
  }

  patch(keys, before, pending) {
    const steps = new Steps(this.items);
    const { extrasFirst } = this.shape;
    // Where the sorted items begin and end.
    const part = extrasFirst ? { start: this.extraCount, end: this.items.length } : { start: 0, end: this.items.length - this.extraCount };
    const rowBefore = key => before.has(key) ? before.get(key) : this.window.get(key);
    const find = key => {
      const probe = this.window.probe(key) ?? rowBefore(key);
      if (!probe) return -1;
      const place = placeIn(steps.items, probe, this.window.compare, part.start, part.end);
      return place < part.end && this.window.compare(steps.items[place], probe) === 0 ? place : -1;
    };
    for (const key of keys) if (!pending.front?.has(key)) this.patchItem(steps, part, find(key), this.itemOf(key, pending), pending.context.user);
    this.shape.patchExtras?.(this, steps, part, find, pending);
    this.items = steps.items;
    return steps.changes;
  }

  /** One of the sorted items: it was at a place, or at none (-1), and is another one now, or none (null). */
  patchItem(steps, part, at, item, user) {
    const { compare } = this.window;
    const place = () => placeIn(steps.items, item, compare, part.start, part.end);
    if (at >= 0 && !item) {
      steps.remove(at);
      part.end -= 1;
    } else if (at >= 0 && compare(steps.items[at], item) === 0) steps.change(at, item);
    else if (at >= 0) {
      part.end -= 1;
      steps.move(at, place, item);
      part.end += 1;
    } else if (item) {
      const from = this.shape.extraAt?.(this, steps, part, identityOf(item, user), user) ?? -1;
      if (from < 0) steps.add(place(), item);
      else {
        if (this.shape.extrasFirst) Object.assign(part, { start: part.start - 1, end: part.end - 1 });
        steps.move(from, place, item);
      }
      part.end += 1;
    }
  }

  noteExpiry(rows, isAll, now) {
    if (isAll) this.expiry = null;
    for (const row of rows) if (row?.expires > now && (this.expiry === null || row.expires < this.expiry)) this.expiry = row.expires;
  }
}
