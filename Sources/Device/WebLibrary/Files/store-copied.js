import { IndexedDBStore } from "./store-indexeddb.js";
import { isSame } from "./patches.js";
import { TABLES } from "./store.js";
// The store of browsers, with a second copy of the outbox. Chromium deletes a whole database when the log of its writes is
// damaged, and a kill in the middle of a write can damage it. The rows come back from the server, but the writes that wait
// exist only here. A storage bucket has a database with a log of its own.

const BUCKET = "watchwise";

/** A store in IndexedDB that gets its outbox back from the copy when the browser has deleted its database. */
export class CopiedStore extends IndexedDBStore {
  /** @param buckets the storage buckets of the page; without them, as in Firefox and Safari, there is no copy */
  constructor(name, factory, buckets = globalThis.navigator?.storageBuckets) {
    super(name, factory);
    Object.assign(this, { buckets, copy: null, isClosed: false });
  }

  async open(onTaken) {
    // The copy is read first. Each entry of it was in the database earlier, so one that the database lacks is done.
    const copied = await this.openCopy();
    await super.open(onTaken, copied);
    if (this.copy) await this.align(copied);
    return this;
  }

  async write(changes, options) {
    const orders = await super.write(changes, options);
    const copied = changes.filter(({ keepEntry, removeEntry }) => keepEntry || removeEntry)
      .map(change => change.keepEntry ? { keepEntry: { ...change.keepEntry, order: orders[change.keepEntry.key] } } : change);
    await this.writeCopy(copied);
    return orders;
  }

  async close() {
    this.isClosed = true;
    await this.copy?.close();
    await super.close();
  }

  /** The copy goes first: what is in it would come back. One that could not be opened goes, too. */
  async destroy() {
    this.isClosed = true;
    const copy = this.copy ?? await this.findCopy().catch(() => null);  // a page without buckets has never made one
    await copy?.destroy();
    await super.destroy();
  }

  /** The copy, closed; null where browsers have no buckets. */
  async findCopy() {
    const bucket = await this.buckets?.open(BUCKET);
    return bucket ? new IndexedDBStore(this.name, bucket.indexedDB, { outbox: TABLES.outbox }) : null;
  }

  /** Returns the entries of the copy; `copy` is null when there can be none. */
  async openCopy() {
    try {
      const copy = await this.findCopy();
      if (!copy) return [];
      await copy.open(() => this.leaveCopy(copy));
      const entries = await copy.range("outbox", {});
      this.copy = copy;
      return entries;
    } catch {
      return [];
    }
  }

  /** Makes the copy equal to the database again: a kill came between the two writes, or the copy was deleted. */
  async align(copied) {
    const entries = await this.range("outbox", {});
    const own = new Set(entries.map(({ key }) => key));
    const there = new Map(copied.map(entry => [entry.key, entry]));
    await this.writeCopy([
      ...copied.filter(({ key }) => !own.has(key)).map(({ key }) => ({ removeEntry: key })),
      ...entries.filter(entry => !isSame(entry, there.get(entry.key))).map(entry => ({ keepEntry: entry })),
    ]);
  }

  /** It is not flushed to the disk, as the database is: the copy is for the death of the browser, not of the system. */
  async writeCopy(changes) {
    const { copy } = this;
    if (!copy || changes.length === 0) return;
    try {
      await copy.write(changes);
    } catch {
      // A copy that misses something is worse than none. The next page makes another.
      if (!this.isClosed && this.copy === copy) await this.leaveCopy(copy).destroy().catch(() => {});
    }
  }

  /** Goes on without the copy, and returns it closed. */
  leaveCopy(copy) {
    if (this.copy === copy) this.copy = null;
    copy.close();
    return copy;
  }
}
