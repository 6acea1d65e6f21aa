import { WatchWiseError } from "./errors.js";
import { Handles, WriteHandle } from "./handles.js";
import { makeEntry } from "./lanes.js";
import { OUTBOX, OUTBOX_FULL, byteCount, frameBytes, tooLarge } from "./sizes.js";
import { randomName } from "./names.js";
// The writes of one tab, on their way to the outbox: its own where it leads, else the store's.

/** How long the word of how a write ended may take after the store has it no longer. */
const SETTLED_MS = 2000;

/** A command as the app gave it: that of a chain got its version when it was about to be sent. */
function asWritten({ command, isChained }) {
  const { ifVersion, ...chained } = command;
  return isChained ? chained : command;
}

export class Writes {
  constructor(core) {
    this.core = core;
    this.handles = new Handles();
    this.ready = Promise.resolve();  // when those before have read what they are made on
    this.leaving = new Map();  // bytes of those that are on their way into the store of a tab that follows, by key
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
    if (!core.engine && this.isFull(bytes)) throw WatchWiseError.from(OUTBOX_FULL);
    if (!core.engine) this.leaving.set(key, bytes);
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

  /** Whether the outbox of a tab that follows has no room for one more. The outbox of the tab that leads looks by itself. */
  isFull(bytes) {
    const { core: { entries }, counted, leaving } = this;
    if (counted.entries !== entries) Object.assign(counted, { entries, bytes: entries.reduce((sum, { command }) => sum + byteCount(command), 0) });
    const waiting = [...leaving.values()].reduce((sum, one) => sum + one, 0);
    return entries.length + leaving.size >= OUTBOX.entriesMax || counted.bytes + waiting + bytes > OUTBOX.bytesMax;
  }

  keep(command, base) {
    const { engine, user } = this.core;
    if (engine) {
      this.leaving.delete(command.key);
      engine.feed({ write: { key: command.key, command, base } });
    } else this.keepInStore(makeEntry(command.key, command, base, user));
  }

  /** Stores a write that this tab does not send: the leader takes it from the store. */
  async keepInStore(entry) {
    const { core } = this;
    const { key } = entry;
    try {
      await core.store.write([{ keepEntry: entry }], { durable: true });
    } catch (error) {
      this.leaving.delete(key);
      return this.handles.settle({ key, error: { class: "storage", code: "storage", message: error.message } });
    }
    if (!core.engine) await core.readEntries();
    this.leaving.delete(key);
    if (core.engine) await core.pickUp();
    else core.tabs.post({ kind: "poke" });
    this.handles.kept({ key, durable: core.store.isDurable });
    core.tabs.askLeader();
    core.changed(["outbox"]);
  }

  /**
   * Another tab leads: the writes that this one could not store any more are stored as by a tab that follows.
   * @param {object[]} kept the entries of a transaction that changed nothing, of a step with these actions
   */
  async handOver(kept, actions) {
    const { core } = this;
    const merged = new Set(actions.map(action => action.merged?.into));
    for (const { renamed } of actions) if (renamed) core.moved(renamed.to, renamed.key);  // the store has it as it was
    for (const entry of kept) {
      let { key } = entry;
      if (entry.order !== null) {
        if (!merged.has(key)) continue;
        // The entry that it became part of is the new leader's, and may be sent already.
        key = randomName();
        core.moved(entry.key, key);
      }
      await this.keepInStore(makeEntry(key, { ...asWritten(entry), key }, entry.base, core.user));
    }
  }

  /** The writes of this tab that the store has no longer are done: the leader before could not tell that any more. */
  settleGone() {
    const { core, handles } = this;
    const isOver = key => !core.entries.some(entry => entry.key === key) && !core.engine?.outbox.find(key);
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
  controlHere(name, key) {
    const { engine } = this.core;
    const stateOf = () => engine.outbox.entry(key);
    if (!stateOf()) return false;
    this.hasRefused = false;
    engine.feed({ [name]: key });
    return !this.hasRefused && stateOf()?.state !== "failed";
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
