import { differences, overlaid } from "./overlay.js";
import { PatchedItems } from "./patched.js";
import { isSame } from "./patches.js";
// Sources of lists. A source notes which rows changed, reads them when its list is next shown, and lays the waiting writes over them.

/** Rows that are few: all are read again when one of them changes. */
export class WholeSource {
  /**
   * @param {object} core
   * @param {{kind: string, isSingle?: boolean, touches: (name: string) => boolean, load: () => Promise<object>}} about `touches`
   *   says whether a change of that name concerns its rows; `load` reads `rows`, and what belongs to them: `context`, `complete`, `error`
   */
  constructor(core, { kind, isSingle = false, touches, load }) {
    Object.assign(this, { core, kind, isSingle, touches, load, items: [], isStale: true });
  }

  note(changes) {
    const isOurs = [...changes.byName.keys()].some(name => name === "everything" || this.touches(name));
    this.isStale ||= isOurs;
    return isOurs;
  }

  async read() {
    this.isStale = false;
    try {
      this.loaded = await this.load();
    } catch (error) {
      this.isStale = true;
      throw error;
    }
  }

  show(entries) {
    const { rows, context = {}, complete, error } = this.loaded;
    const { user } = this.core;
    const made = overlaid(this.kind, rows, entries, { user, ...context });
    const before = this.items;
    const items = Array.isArray(made) ? made : [made];
    const changes = Array.isArray(made) ? differences(before, items, user)
      : isSame(items, before) ? [] : [{ kind: "change", index: 0, item: made }];
    this.items = items;
    return { items, changes, complete, error };
  }
}

/** The rows of a window that changed, and are to be read. */
class Noted {
  /** @param {string} name that of the rows among changes */
  constructor(window, name) {
    Object.assign(this, { window, name, keys: new Set(), isAll: true });
  }

  get isStale() {
    return this.isAll || this.keys.size > 0 || this.window.isUnsure;
  }

  /** @param {Set<any> | null | undefined} keys null: all; undefined: none */
  add(keys) {
    if (keys === null) this.isAll = true;
    for (const key of keys ?? []) this.keys.add(key);
  }

  note(changes) {
    const isOurs = changes.has("everything") || changes.has(this.name);
    if (isOurs) this.add(changes.has("everything") ? null : changes.byName.get(this.name));
    return isOurs;
  }

  async read() {
    const { keys, isAll, window } = this;
    Object.assign(this, { keys: new Set(), isAll: false });
    try {
      if (isAll) await window.load();
      else if (keys.size || window.isUnsure) await window.patch(keys);
    } catch (error) {
      this.isAll = true;
      throw error;
    }
  }
}

/** A window of rows: of those that changed only they are read, and only their items are made again. */
export class WindowSource {
  /**
   * @param {object} core
   * @param {object} about
   * @param {string} about.kind of `overlaid`
   * @param {RowWindow} about.window
   * @param {string} [about.name] that of its rows among changes
   * @param {(changes: Changes) => Set<any> | null | undefined} [about.keysOf] instead of a name: the keys of its rows among changes
   * @param {(changes: Changes) => boolean} [about.depends] whether changes concern what `describe` reads
   * @param {(window: RowWindow) => object} [about.describe] `context`, `complete`, `error` and `hasMore`, where the window does not tell
   */
  constructor(core, { kind, window, name, keysOf, depends = () => false, describe = () => ({}), ...more }) {
    Object.assign(this, { core, kind, window, keysOf, depends, describe, ...more });
    this.noted = new Noted(window, name);
    this.shown = new PatchedItems(kind, window);
    this.isOther = true;  // whether `describe` may say something else
  }

  get isStale() {
    return this.isOther || this.noted.isStale;
  }

  note(changes) {
    const keys = this.keysOf?.(changes);
    this.noted.add(keys);
    const isOurs = this.noted.note(changes) || keys !== undefined;
    const isOther = changes.has("everything") || this.depends(changes);
    this.isOther ||= isOther || isOurs;
    return isOther || isOurs;
  }

  grow(count) {
    this.window.grow(count);
    this.isOther = true;
  }

  async read() {
    this.isOther = false;
    try {
      await this.noted.read();
      await this.readBeyond();
      this.about = await this.describe(this.window);
    } catch (error) {
      this.isOther = true;
      throw error;
    }
  }

  keysBeyond(entries) {
    return this.shown.keysBeyond(entries, { user: this.core.user });
  }

  /** Whether waiting writes show rows that were not read yet. */
  lacks(entries) {
    return this.keysBeyond(entries).some(key => !this.shown.beyond.has(key));
  }

  async readBeyond() {
    const keys = this.keysBeyond(this.core.entries);
    const rows = keys.length ? await this.core.store.rows(keys.map(key => [this.window.table, key])) : [];
    this.shown.beyond = new Map(keys.map((key, index) => [key, rows[index]]));
  }

  show(entries) {
    const { context, complete, error, hasMore = this.window.isMore } = this.about;
    const changes = this.shown.update(entries, { user: this.core.user, ...context });
    return { items: this.shown.items, changes, complete, error, hasMore };
  }
}

/** The counts of what is unread: two windows of rows, and rows of `meta`. */
export class UnreadSource {
  kind = "unread";
  isSingle = true;
  items = [];
  isOther = true;

  /** @param {() => Promise<{rows: object, context: object}>} load the counts, and the context of the inbox */
  constructor(core, { chats, inbox, load }) {
    Object.assign(this, { core, load, chats: new Noted(chats, "chats"), inbox: new Noted(inbox, "inbox") });
  }

  get isStale() {
    return this.isOther || this.chats.isStale || this.inbox.isStale;
  }

  note(changes) {
    const isOther = ["everything", "unread", "seenUpTo"].some(name => changes.has(name));
    this.isOther ||= isOther;
    const areOurs = [this.chats.note(changes), this.inbox.note(changes)];
    return isOther || areOurs.includes(true);
  }

  async read() {
    const { isOther } = this;
    this.isOther = false;
    try {
      await Promise.all([this.chats.read(), this.inbox.read()]);
      if (isOther) this.loaded = await this.load();
    } catch (error) {
      this.isOther = true;
      throw error;
    }
  }

  show(entries) {
    const { rows, context } = this.loaded;
    const [chats, inbox] = [this.chats, this.inbox].map(({ window }) => window.rows);
    const item = overlaid("unread", rows, entries, { chats, inbox, user: this.core.user, ...context });
    const changes = isSame(item, this.items[0]) ? [] : [{ kind: "change", index: 0, item }];
    this.items = [item];
    for (const { window } of [this.chats, this.inbox]) window.takeBefore();
    return { items: this.items, changes };
  }
}
