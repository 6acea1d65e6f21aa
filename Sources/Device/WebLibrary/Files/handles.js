import { WatchWiseError } from "./errors.js";
import { CANCELLED } from "./lanes.js";
// What a write gives its caller at once.

/** A write: `kept` when it survives everything, `done` when the server has done it. Neither has to be awaited. */
export class WriteHandle {
  constructor(key, core) {
    this.key = key;
    this.core = core;
    this.isKept = this.isSettled = this.isGivenUp = false;
    this.outcome = null;
    /** Resolves with `{durable}` when the store has it. */
    this.kept = new Promise((resolve, reject) => Object.assign(this, { resolveKept: resolve, rejectKept: reject }));
    /** Resolves with the server's `ok`; throws a `WatchWiseError` when it is refused for good, or cancelled. */
    this.done = new Promise((resolve, reject) => Object.assign(this, { resolveDone: resolve, rejectDone: reject }));
    // An app that looks at its lists needs neither promise; then nobody hears of their refusal.
    this.kept.catch(() => {});
    this.done.catch(() => {});
  }

  /** `keeping`, `queued`, `sent`, `uncertain`, `blocked`, `failed`, `done` or `cancelled`. */
  get state() {
    if (this.outcome === "done" || this.outcome === "cancelled") return this.outcome;
    return this.core.entries.find(entry => entry.key === this.key)?.state ?? this.outcome ?? "keeping";
  }

  /** Takes the write back, if it has not been sent. Resolves with whether it was taken back. */
  cancel() {
    return this.core.writes.control("cancel", this.key);
  }

  settle({ ok, error }) {
    if (this.isSettled && this.outcome === "done") return;
    this.isSettled = true;
    if (ok) {
      this.outcome = "done";
      this.resolveKept({ durable: true });
      return this.resolveDone(ok);
    }
    const thrown = WatchWiseError.from(error);
    this.outcome = thrown.kind === "cancelled" ? "cancelled" : "failed";
    this.rejectKept(thrown);
    this.rejectDone(thrown);
  }
}

/** The handles of this tab, by the keys that their writes have now. */
export class Handles {
  constructor() {
    this.byKey = new Map();
  }

  add(handle) {
    this.byKey.set(handle.key, [...this.byKey.get(handle.key) ?? [], handle]);
  }

  kept({ key, durable }) {
    for (const handle of this.byKey.get(key) ?? []) {
      handle.isKept = true;
      handle.resolveKept({ durable });
    }
  }

  /** The keys of writes that are kept, and of whose end nothing was heard. */
  get open() {
    return [...this.byKey.keys()].filter(key => this.byKey.get(key).some(handle => handle.isKept && !handle.isSettled));
  }

  /** A write is over, and nobody can tell any more how: the server has done it, unless the app gave it up. */
  end(key) {
    const isGivenUp = this.byKey.get(key)?.some(handle => handle.isGivenUp);
    this.settle({ key, ...(isGivenUp ? { error: CANCELLED } : { ok: {} }) });
  }

  /** A write became part of another one, or has another key. */
  move(key, to) {
    for (const handle of this.byKey.get(key) ?? []) {
      handle.key = to;
      this.add(handle);
    }
    this.byKey.delete(key);
  }

  settle({ key, ok, error }) {
    for (const handle of this.byKey.get(key) ?? []) handle.settle({ ok, error });
    // One that failed can be tried again, and cancelled ones cannot.
    if (ok || error?.class === "cancelled") this.byKey.delete(key);
  }

  /** The library is closed: whether they are done is told by the next process. */
  closeAll() {
    const error = { class: "closed", code: "closed", message: "the library was closed" };
    for (const handle of [...this.byKey.values()].flat()) if (!handle.isSettled) handle.settle({ error });
    this.byKey.clear();
  }
}
