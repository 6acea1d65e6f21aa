import { WatchWiseError } from "./errors.js";
import { Handles, WriteHandle } from "./handles.js";
import { makeEntry } from "./lanes.js";
import { OUTBOX, OUTBOX_FULL, byteCount, frameBytes, tooLarge } from "./sizes.js";
import { randomName } from "./names.js";
// The writes of one tab, on their way to the outbox: its own where it leads, else the store's. The outbox is in the store also as long
// as its part is not here, so that a write needs nothing but the store to be kept.

/** How long the word of how a write ended may take after the store has it no longer. */
const SETTLED_MS = 2000;

export class Writes {
  constructor(core) {
    this.core = core;
    this.handles = new Handles();
    this.ready = Promise.resolve();  // when those before have read what they are made on
    this.leaving = new Map();  // bytes of those that are on their way into the store without an outbox, by key
    this.storing = new Set();  // promises of the same
    this.unsure = new Set();   // of an outbox: transactions which show whether this tab still leads
    this.turn = null;          // of those that wait for these
    this.counted = { entries: null, bytes: 0 };
  }

  /** Takes a write; it leaves when it can. */
  write(command, readBase) {
    const { core } = this;
    if (core.isClosed) throw new WatchWiseError("closed", "closed", "the library is closed");
    const key = randomName();
    const keyed = { ...command, key };
    const bytes = byteCount(keyed);
    if (frameBytes(bytes) > core.messageBytes) throw WatchWiseError.from(tooLarge(bytes, core.messageBytes));
    if (!core.sending && this.isFull(bytes)) throw WatchWiseError.from(OUTBOX_FULL);
    if (!core.sending) this.leaving.set(key, bytes);
    core.writing.want();
    const handle = new WriteHandle(key, core);
    this.handles.add(handle);
    if (readBase) {
      this.ready = this.ready.then(async () => this.keep(keyed, await readBase()))
        .catch(error => {
          this.leaving.delete(key);
          handle.settle({ error: { class: "storage", code: "storage", message: error.message, ...error } });
        });
    } else this.keep(keyed, null);
    if (handle.refusal) throw handle.refusal;
    return handle;
  }

  /** Whether the store has no room for one more. An outbox looks by itself. */
  isFull(bytes) {
    const { core: { entries }, counted, leaving } = this;
    if (counted.entries !== entries) Object.assign(counted, { entries, bytes: entries.reduce((sum, { command }) => sum + byteCount(command), 0) });
    const waiting = [...leaving.values()].reduce((sum, one) => sum + one, 0);
    return entries.length + leaving.size >= OUTBOX.entriesMax || counted.bytes + waiting + bytes > OUTBOX.bytesMax;
  }

  keep(command, base) {
    const { sending, user } = this.core;
    const { key } = command;
    // One that came earlier may still be on its way into the store, and the outbox does not know of it.
    if (!sending || this.storing.size) return this.keepInStore(makeEntry(key, command, base, user));
    this.leaving.delete(key);
    sending.feed({ write: { key, command, base } });
  }

  /** Stores a write that this tab does not send: the leader takes it from the store. */
  keepInStore(entry) {
    const stored = this.storeInTurn(entry);
    this.storing.add(stored);
    return stored.finally(() => this.storing.delete(stored));
  }

  /** Earlier ones may be on their way from an outbox, and come back when another tab leads. */
  async storeInTurn(entry) {
    if (this.unsure.size || this.turn) {
      const turn = this.turn = Promise.all([this.turn, ...this.unsure]);
      await turn;
      if (this.turn === turn) this.turn = null;
    }
    await this.storeEntry(entry);
  }

  async storeEntry(entry) {
    const { core } = this;
    const { key } = entry;
    try {
      await core.store.write([{ keepEntry: entry }], { durable: true });
    } catch (error) {
      this.leaving.delete(key);
      return this.handles.settle({ key, error: { class: "storage", code: "storage", message: error.message } });
    }
    if (!core.sending) await core.readEntries();
    this.leaving.delete(key);
    if (core.sending) await core.pickUp().catch(error => core.storeFailed(error));
    else if (!core.engine) core.tabs.post({ kind: "poke" });
    this.handles.kept({ key, durable: core.store.isDurable });
    core.tabs.askLeader();
    core.changed(["outbox"]);
  }

  /** The writes of this tab that the store has no longer are done: the leader before could not tell that any more. */
  settleGone() {
    const { core, handles } = this;
    const isOver = key => !core.entries.some(entry => entry.key === key) && !core.engine?.outbox?.find(key);
    const gone = handles.open.filter(isOver);
    if (gone.length) setTimeout(() => {
      if (!core.isClosed) for (const key of gone) if (isOver(key)) handles.end(key);
    }, SETTLED_MS).unref?.();
  }

  /** `cancel`, `retry` or `discard`; resolves with whether it was done. */
  async control(name, key) {
    const handles = this.handles.byKey.get(key) ?? [];
    if (name !== "retry") for (const handle of handles) handle.isGivenUp = true;
    const isDone = await this.core.call("control", name, key);
    if (!isDone) for (const handle of handles) handle.isGivenUp = false;
    return isDone;
  }

  /** The same, in the tab that leads. */
  async controlHere(name, key) {
    const { core } = this;
    // Else at once, before the write leaves.
    if (!core.sending || this.storing.size) {
      await core.writing.load();
      await Promise.all(this.storing);
    }
    return core.sending?.control(name, key) ?? false;
  }

  /** The outbox has not taken a write, or the app's wish for one. */
  refused({ key, error }) {
    if (error.code === "already-sent") return void (this.hasRefused = true);
    const [handle] = this.handles.byKey.get(key) ?? [];
    if (!handle) return;
    handle.refusal = WatchWiseError.from(error);
    handle.settle({ error });
    this.handles.byKey.delete(key);
  }
}
