import { keyOf } from "./store.js";
// A change of the store, as the lists of all tabs hear of it: names, and the keys of rows.

/** The keys of the rows that changed, by the name of the rows; null stands for all of them. */
export class Changes {
  constructor(names = []) {
    this.byName = new Map(names.map(name => [name, null]));
  }

  /** Of names, or of what another tab has posted: one of an earlier version of the library says no keys. */
  static of(about) {
    if (about instanceof Changes) return about;
    const { names, keys } = Array.isArray(about) ? { names: about } : about;
    const changes = new Changes(names);
    for (const [name, some] of keys ?? []) changes.byName.set(name, some);
    return changes;
  }

  /** As other tabs get it. */
  get posted() {
    return { names: [...this.byName.keys()], keys: this.byName };
  }

  has(name) {
    return this.byName.has(name);
  }

  /** Whether a row may have changed. */
  hasRow(name, key) {
    return this.byName.has(name) && (this.byName.get(name)?.has(key) ?? true);
  }

  /** Without a key all rows of the name may be others. */
  add(name, key = null) {
    const known = this.byName.get(name);
    if (key === null || known === null) this.byName.set(name, null);
    else if (known) known.add(key);
    else this.byName.set(name, new Set([key]));
  }

  /** The rows that a change of the store touches. */
  addChange({ put, delete: gone, deleteMessages, moveMessages }) {
    if (deleteMessages) return this.add(`chat:${deleteMessages}`);
    if (moveMessages) return this.add("everything");
    const [table, value] = put ?? gone;
    if (table === "messages") return this.add(`chat:${value.chat ?? value[0]}`, value.n ?? value[1]);
    if (table === "meta") return this.add(value.name ?? value);
    if (table === "documents") return this.add(`doc:${value.path ?? value}`);
    return this.add(table, put ? keyOf(table, value) : value);
  }
}
