import { TABLES, columnsOf } from "./store.js";
import { isSame } from "./patches.js";
// Rows of the store that a list has in memory: those at one end of an order. Of changes only the rows with their keys are read.

/** Up to this number keys are read one by one, also where the window has fewer rows. */
const KEYS_MIN = 50;

function compareValues(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The first place in a sorted part of a list at which a row is not after the one that is there. */
export function placeIn(list, row, compare, from = 0, to = list.length) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(list[middle], row) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Versions first: they tell of most rows that they differ. Equal ones prove nothing, for a reaction changes no version. */
function isSameRow(one, other) {
  return one === other || one.seq === other.seq && one.rev === other.rev && one.version === other.version && isSame(one, other);
}

/** The first rows of an order, at most a number of them; of messages the last ones. */
export class RowWindow {
  /**
   * @param core has the store
   * @param {{table: string, index?: string, is?: string, isDescending?: boolean}} about `is` as in a query of a store
   * @param {number} limit how many rows it has at most
   */
  constructor(core, { table, index, is, isDescending = false }, limit) {
    const [column, key] = [columnsOf(table, index).at(-1), TABLES[table].key.at(-1)];
    Object.assign(this, { core, table, index, is, isDescending, column, key, limit });
    this.isOpenAtStart = table === "messages";  // on that side are those that it has not
    this.rows = [];
    this.byKey = column === key ? null : new Map();  // where the key tells no place
    this.isMore = false;     // whether the store has further rows
    this.isUnsure = false;   // whether that is to be looked up again
    this.before = new Map();  // the rows that were shown last, by the keys of which the rows are others since then
    const sign = isDescending ? -1 : 1;
    this.compare = (one, other) => sign * (compareValues(one[column], other[column]) || compareValues(one[key], other[key]));
  }

  /** The row with a key, if it is in the window. */
  get(key) {
    if (this.byKey) return this.byKey.get(key) ?? null;
    const row = this.rows[placeIn(this.rows, { [this.key]: key }, this.compare)];
    return row?.[this.key] === key ? row : null;
  }

  /** Something that stands where a row with this key stands; null when only the row itself tells where. */
  probe(key) {
    return this.byKey ? null : { [this.key]: key };
  }

  /** The last row on the side of those that it has not. */
  get last() {
    return (this.isOpenAtStart ? this.rows[0] : this.rows.at(-1)) ?? null;
  }

  grow(count) {
    this.limit += count;
    this.isUnsure = true;
  }

  /** Keeps what was there before. */
  note(key, row) {
    if (!this.before.has(key)) this.before.set(key, row);
  }

  /** The rows that were there when it was last called, by the keys of which the rows are others now; null for new ones. */
  takeBefore() {
    const { before } = this;
    this.before = new Map();
    return before;
  }

  /** Reads all rows. */
  async load() {
    this.isUnsure = false;
    const [rows, isMore] = await this.read(null, this.limit);
    const old = this.rows;
    let at = 0;
    for (const [index, row] of rows.entries()) {
      for (; at < old.length && this.compare(old[at], row) < 0; at++) this.note(old[at][this.key], old[at]);
      const isHere = at < old.length && this.compare(old[at], row) === 0;
      if (isHere && isSameRow(old[at], row)) rows[index] = old[at];
      else this.note(row[this.key], isHere ? old[at] : this.byKey?.get(row[this.key]) ?? null);
      if (isHere) at += 1;
    }
    for (; at < old.length; at++) this.note(old[at][this.key], old[at]);
    Object.assign(this, { rows, isMore });
    if (this.byKey) this.byKey = new Map(rows.map(row => [row[this.key], row]));
  }

  /** Reads the rows with these keys. */
  async patch(keys) {
    if (keys.size > Math.max(this.rows.length, KEYS_MIN)) return this.load();
    const wanted = [...keys];
    const { table, is, column } = this;
    const found = await this.core.store.rows(wanted.map(key => [table, table === "messages" ? [is, key] : key]));
    for (const [index, key] of wanted.entries()) {
      const row = found[index];
      const isOurs = row && row[column] !== undefined && (table !== "documents" || row.collection === is);
      this.put(key, isOurs ? row : null);
    }
    await this.fill();
  }

  put(key, row) {
    const old = this.get(key);
    if (old && row && isSameRow(old, row)) return;
    if (old) this.remove(old);
    else if (this.isMore) this.isUnsure = true;  // it may have been the only one beyond
    if (!row) return;
    const place = placeIn(this.rows, row, this.compare);
    // The rows between it and the last one are not known.
    const isBeyond = this.isMore && place === (this.isOpenAtStart ? 0 : this.rows.length);
    if (!isBeyond) this.add(place, row);
  }

  add(place, row) {
    const key = row[this.key];
    this.note(key, null);
    this.byKey?.set(key, row);
    if (place === this.rows.length) this.rows.push(row);
    else this.rows.splice(place, 0, row);
  }

  remove(row) {
    const key = row[this.key];
    this.note(key, row);
    this.byKey?.delete(key);
    this.rows.splice(placeIn(this.rows, row, this.compare), 1);
  }

  /** Brings it to its length again. */
  async fill() {
    while (this.rows.length > this.limit) {
      this.remove(this.last);
      Object.assign(this, { isMore: true, isUnsure: false });
    }
    const count = this.limit - this.rows.length;
    const { isUnsure } = this;
    this.isUnsure = false;
    if (!this.isMore || count === 0 && !isUnsure) return;
    const [rows, isMore] = await this.read(this.last, count);
    for (const row of this.isOpenAtStart ? rows.reverse() : rows) this.add(this.isOpenAtStart ? 0 : this.rows.length, row);
    this.isMore = isMore;
  }

  /** Up to `count` rows in the order of the list, from the first, or from those beyond a row; and whether there are more. */
  async read(beyond, count) {
    const rows = await (this.isOpenAtStart ? this.readMessages(beyond, count + 1) : this.readRows(beyond, count + 1));
    const isMore = rows.length > count;
    if (isMore) rows.splice(this.isOpenAtStart ? 0 : count, rows.length - count);
    return [rows, isMore];
  }

  async readRows(beyond, limit) {
    const { column, isDescending, compare } = this;
    let same = 0;
    if (beyond) while (this.rows.at(-1 - same)?.[column] === beyond[column]) same += 1;
    const bound = beyond && { [isDescending ? "to" : "from"]: beyond[column] };
    const query = { index: this.index, is: this.is, reverse: isDescending, limit: limit + same, ...bound };
    const rows = (await this.core.store.range(this.table, query)).sort(compare);
    return beyond ? rows.filter(row => compare(beyond, row) < 0).slice(0, limit) : rows;
  }

  /** Backwards only where there are gaps, for that is slow. */
  async readMessages(beyond, limit) {
    const { core: { store }, is } = this;
    const to = beyond ? beyond.n - 1 : undefined;
    const top = to ?? (await store.get("chats", is))?.top;
    const from = Math.max(1, top - limit + 1);
    if (top !== undefined) {
      const rows = await store.range("messages", { is, from, to, limit });
      if (rows.length === limit || from === 1) return rows;
    }
    return (await store.range("messages", { is, to, reverse: true, limit })).reverse();
  }
}
