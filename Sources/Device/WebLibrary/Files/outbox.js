import { CLOSE, announcedWait, chance } from "./retrying.js";
import { isSame, isUntouched, mergePatch } from "./patches.js";
import { CANCELLED, DOCUMENTS, isProvable, laneOf, makeEntry, mergeCommands, okFromEvent } from "./lanes.js";
import { MESSAGE_BYTES, OUTBOX, OUTBOX_FULL, byteCount, frameBytes, tooLarge } from "./sizes.js";
// The writes that this device has not got an answer to: in order within a lane, each done once, without I/O, clock or
// chance of its own. Tests/SessionVectors/README.md lists inputs and actions; the Swift machine behaves the same.

/** After a reset, how old a sent write may be for the server to know its key for certain: it keeps keys for 7 days. */
const KEY_AGE_MAX_MS = 6 * 86_400_000;
const OUTBOX_DEFAULTS = {
  ...OUTBOX, onConflict: false, lanesMax: 16, baseMs: 500, capMs: 30_000,
};
/** How many connections in a row may end with a write under way. Before the last of them it goes alone, so that that end is its own. */
const ENDS_MAX = 3;

/**
 * The machine. `step` takes an input and returns the actions to perform, in order. A step goes through the entries a few
 * times at most, never through all of them for each.
 */
export class OutboxMachine {
  /**
   * @param {{user: string}} configuration see the README of the vectors
   * @param {() => number} random fractions in [0, 1)
   */
  constructor(configuration, random) {
    this.configuration = { ...OUTBOX_DEFAULTS, ...configuration };
    this.random = random;
    /** In the order of the calls. Members of an item: the stored entry, and where this process is with it. */
    this.items = [];
    this.byKey = new Map();    // the same items
    this.leaving = new Map();  // writes that are over, until the store has them no longer; with an error if the app ended them
    this.actions = [];
    this.isLive = false;
    this.isReset = false;
    this.offset = null;  // the server's time less ours
    this.preferences = null;
    this.bytes = 0;
    this.messageBytes = MESSAGE_BYTES;  // the longest frame that the server takes
  }

  /** The entries, in order, as they are stored; those whose own event has come are not among them. */
  get entries() {
    return this.items.filter(item => !item.ok).map(item => item.entry);
  }

  /** When a `tick` must come at the latest; null when nothing is due. */
  get deadline() {
    if (!this.isLive) return null;
    let first = null;
    for (const { until } of this.items) if (until !== null && (first === null || until < first)) first = until;
    return first;
  }

  /** Takes one input, an object with one member, at a time of any monotonic clock in milliseconds. */
  step(input, at) {
    const [name] = Object.keys(input);
    this[`on_${name}`](input[name], at);
    this.pump(at);
    const actions = this.actions;
    this.actions = [];
    return actions;
  }

  // What the owner says

  /** `base` of a document's write: what the app sees of it, `{version, data}`; null when that is not known. */
  on_write({ key, command, base = null }, at) {
    const lane = laneOf(command, this.configuration.user);
    const others = this.items.filter(other => other.entry.lane === lane);
    const bytes = byteCount(command);
    if (this.isTooLarge(bytes)) return this.refuse(key, tooLarge(bytes, this.messageBytes));
    if (this.merge(others, command, key)) return;
    if (this.items.length >= this.configuration.entriesMax || this.bytes + bytes > this.configuration.bytesMax)
      return this.refuse(key, OUTBOX_FULL);
    const entry = makeEntry(key, command, base, this.configuration.user);
    if (others.some(other => isHolding(other.entry))) entry.state = "blocked";
    const item = this.add(entry, bytes);
    // A write that can leave at once is stored as sent, so that it is stored once.
    if (this.isLive && others.every(other => isAside(other.entry)) && !this.isProbing && this.room > 0) this.prepare(item, at);
    this.keep(item);
  }

  /** Entries of the store at the start; `isForeign` when the store is a copy of one that another device uses, too. */
  on_restored({ entries, isForeign = false }) {
    for (const entry of entries) {
      const item = this.add({ ...entry }, byteCount(entry.command));
      item.isKept = item.isTold = true;
      if (isForeign && entry.state === "sent") this.change(item, "uncertain");
    }
    this.arrange();
  }

  /** An entry that another tab has stored; or one of this tab's, read before the store took it away or renamed it. */
  on_added(entry) {
    if (this.find(entry.key) || this.leaving.has(entry.key)) return;
    if (this.items.some(({ entry: { order } }) => order !== null && order === entry.order)) return;
    const place = this.items.findIndex(({ entry: { order } }) => order === null || order > entry.order);
    const item = this.add({ ...entry }, byteCount(entry.command), place < 0 ? this.items.length : place);
    item.isKept = item.isTold = true;
    if (isHeld(this.items, item)) this.change(item, "blocked");
  }

  /** The store has an entry, as it was in the last `keep`. */
  on_kept({ key, order, durable = true }) {
    const item = this.find(key);
    if (!item) return;
    item.entry.order = order;
    item.keeping -= 1;
    if (item.keeping > 0) return;
    item.isKept = true;
    this.arrange();
    if (!item.isTold) this.actions.push({ kept: { key, durable } });
    item.isTold = true;
    if (item.phase === "preparing") this.fly(item);
  }

  /** The store has an entry no longer. */
  on_removed(key) {
    const error = this.leaving.get(key);
    const isOver = this.leaving.delete(key);
    if (error) return void this.actions.push({ done: { key, error } });
    const item = isOver ? null : this.find(key);
    if (item?.ok) item.isGone = true;
    else if (item) this.forget(item);
  }

  on_live({ time }, at) {
    this.isLive = true;
    this.offset = time - at;
    if (!this.isReset) return;
    this.isReset = false;
    for (const item of this.items) {
      const { state, firstSent, command } = item.entry;
      if (state === "sent" && firstSent <= time - KEY_AGE_MAX_MS && !isProvable(command)) this.change(item, "uncertain");
    }
  }

  /** `end` is how a connection ended, as the session reports it; true when nothing follows from that. */
  on_offline(end) {
    this.isLive = false;
    for (const item of [...this.items]) this.land(item);
    const cut = this.items.filter(item => item.isCut);
    for (const item of cut) item.isCut = false;
    if (cut.length) this.suspect(cut, end);
  }

  /** What the server says of its bounds. */
  on_limits({ messageBytes }) {
    if (Number.isSafeInteger(messageBytes) && messageBytes > 0) this.messageBytes = messageBytes;
  }

  /** The server could not send the missed events, or the cursor was lost: own events prove nothing for what is older. */
  on_reset() {
    this.isReset = true;
  }

  on_preferences(preferences) {
    this.preferences = preferences;
  }

  /** A durable event of this user. */
  on_event(event) {
    if (event.type === "preferences") this.preferences = event.preferences;
    const item = typeof event.key === "string" ? this.find(event.key) : null;
    const ok = item && !item.ok ? okFromEvent(item.entry.command, event, this.configuration.user) : null;
    if (ok === null) return;
    if (item.phase !== "flying") return this.succeed(item, ok);
    // On the connection on which it was sent the reply follows, and says more.
    item.ok = ok;
    this.actions.push({ remove: item.entry.key });
  }

  on_reply({ key, ok, error }, at) {
    const item = this.find(key);
    if (item?.phase !== "flying") return;
    if (!ok && !error) {
      this.isLive = false;  // lost with its connection
      return this.land(item);
    }
    item.phase = null;
    if (ok || item.ok) return this.succeed(item, ok ?? item.ok);
    Object.assign(item, { ends: 0, isSuspect: false });  // the server has taken it
    if (error.class === "permanent") return this.judge(item, error);
    item.entry.error = error;  // the app can tell it from a write that has no connection
    this.save(item);
    item.refusals += 1;
    const bound = Math.min(this.configuration.capMs, this.configuration.baseMs * 2 ** Math.min(item.refusals - 1, 40));
    const half = Math.floor(bound / 2);
    item.until = at + announcedWait(error) + half + chance(this.random, bound - half);
  }

  /** Once more, as a new write: under a new key, at its old place. */
  on_retry(key) {
    const item = this.find(key);
    if (!item || !["failed", "uncertain"].includes(item.entry.state)) return;
    this.renew(item);
    this.keep(item);
    this.unblock(item.entry.lane);
  }

  on_discard(key) {
    const item = this.find(key);
    if (!item || item.phase !== null || item.ok) return this.refuse(key, alreadySent("the write is under way"));
    this.drop(item, CANCELLED);
  }

  /** Takes a write back that has not left. */
  on_cancel(key) {
    const item = this.find(key);
    if (item?.entry.state !== "queued" && item?.entry.state !== "blocked")
      return this.refuse(key, alreadySent("the write is under way, or done"));
    this.drop(item, CANCELLED);
  }

  /** What the app decided about a conflict: "mine", "theirs", or `{data}`. */
  on_resolve({ key, choice }) {
    const item = this.find(key);
    if (item?.phase !== "deciding") return;
    item.phase = null;
    if (choice === "theirs") return this.drop(item, { ...item.entry.error, class: "cancelled" });
    if (choice !== "mine") item.entry.command = { type: "put", path: item.entry.command.path, data: choice.data };
    this.rebase(item, item.entry.error.current);
  }

  on_tick() {}

  // The lanes

  /** Sends what may go: one write of a lane, some lanes side by side. */
  pump(at) {
    if (!this.isLive) return;
    let { room } = this;
    if (room <= 0) return;
    const { isProbing } = this;
    const passed = new Set();
    for (const item of this.items) if (item.phase !== null) passed.add(item.entry.lane);
    for (const item of [...this.items]) {
      const { lane, state } = item.entry;
      if (isProbing && !item.isSuspect || passed.has(lane) || item.ok) continue;
      if (state === "failed" || state === "uncertain") {
        if (isHolding(item.entry)) passed.add(lane);
        continue;
      }
      passed.add(lane);
      if (state === "blocked" || !item.isKept || item.until !== null && item.until > at) continue;
      if (this.go(item, at)) passed.delete(lane);
      else if ((room -= 1) === 0) return;
    }
  }

  /** Whether a write is to go alone, because it may be the one that ends connections. */
  get isProbing() {
    return this.items.some(item => item.isSuspect);
  }

  /** How many more writes may be under way. */
  get room() {
    let room = this.isProbing ? 1 : this.configuration.lanesMax;
    for (const { phase } of this.items) if (phase === "preparing" || phase === "flying") room -= 1;
    return room;
  }

  /** Returns whether the write turns out to be over. */
  go(item, at) {
    item.until = null;
    const { state, command } = item.entry;
    if (this.isTooLarge(item.bytes)) {
      // One that was stored before the server said its bound, or that is another one now.
      this.fail(item, tooLarge(item.bytes, this.messageBytes));
      return true;
    }
    if (state !== "sent") {
      // The store must know that it may have been sent before it can have been sent.
      this.prepare(item, at);
      this.keep(item);
    } else if (command.type === "preferences" && isSame(mergePatch(this.preferences, command.set), this.preferences)) {
      this.succeed(item, this.preferences);
      return true;
    } else {
      item.entry.attempts += 1;
      this.fly(item);
    }
    return false;
  }

  prepare(item, at) {
    const { entry } = item;
    item.phase = "preparing";
    entry.state = "sent";
    entry.firstSent = at + this.offset;
    entry.attempts = 1;
    if (entry.isChained) entry.command = { ...entry.command, ifVersion: entry.base?.version ?? 0 };
  }

  fly(item) {
    const { entry } = item;
    item.phase = null;
    if (!this.isLive || this.isProbing && !item.isSuspect) return;  // it goes with the next connection, or after the one that goes alone
    item.phase = "flying";
    this.actions.push({ send: { key: entry.key, command: entry.command } });
  }

  /** The connection is gone: whether the write was done is not known, unless its event came. */
  land(item) {
    item.until = null;
    if (item.phase === "deciding" || item.phase === null) return;
    if (item.phase === "flying") {
      item.phase = null;
      item.isCut = true;
    }
    if (item.ok) this.succeed(item, item.ok);
  }

  /** A connection ended with these writes under way: finds the one that ends each connection, so that the others go on. */
  suspect(cut, end) {
    const isTooLong = end.closed?.code === CLOSE.tooLong;
    if (isTooLong && cut.length === 1) return this.fail(cut[0], tooLarge(cut[0].bytes));
    if (!isTooLong && !isAbnormal(end)) return;
    for (const item of cut) {
      if (!isTooLong) item.ends += 1;
      if (item.ends >= ENDS_MAX && item.isSuspect && cut.length === 1) this.fail(item, lostEachTime(item.ends));
      else if (isTooLong || item.ends >= ENDS_MAX - 1) item.isSuspect = true;
    }
  }

  // Outcomes

  succeed(item, ok) {
    const { entry } = item;
    if (!item.ok) this.actions.push({ remove: entry.key });
    // Another tab may have read it before the store takes it away, and speak of it after that.
    if (!item.isGone) this.leaving.set(entry.key, null);
    if (DOCUMENTS.has(entry.command.type)) this.chain(item, ok);
    this.finish(item, { ok });
  }

  /** The next write of the path bears the version that this one resulted in. */
  chain(item, ok) {
    const next = this.items.find(other => other !== item && other.entry.lane === item.entry.lane);
    if (!next?.entry.isChained || next.entry.state === "sent") return;
    const { command, base } = item.entry;
    const made = ok.data ?? resultOf(command, base?.data ?? null);
    const isGone = command.type === "remove";
    next.entry.base = { version: isGone ? 0 : ok.version, data: isGone ? null : made, isResult: true };
    this.save(next);
  }

  /** A write that will not be done hands on the version that it got from the one before it. */
  handOn(item) {
    const { lane } = item.entry;
    const base = resultIn(item.entry.base);
    const place = this.items.indexOf(item);
    const next = this.items.find((other, index) => other.entry.lane === lane && index > place);
    if (base === null || !next?.entry.isChained || next.entry.state === "sent") return;
    if (base.version > 0 && next.entry.base?.version > base.version) return;
    next.entry.base = base;
    this.save(next);
  }

  judge(item, error) {
    const { command, base, isChained, attempts } = item.entry;
    if (command.type === "remove" && error.code === "not-found" && attempts > 1) return this.succeed(item, {});
    if (error.code !== "conflict" || !DOCUMENTS.has(command.type)) return this.fail(item, error);
    const current = { version: error.version ?? 0, data: error.data ?? null };
    if (isOurs(command, current)) {
      const { path } = command;
      return this.succeed(item, { path, version: current.version, ...(current.data && { data: current.data }) });
    }
    item.entry.error = { ...error, current };
    if (this.configuration.onConflict) {
      item.phase = "deciding";
      const { ifVersion, ...mine } = command;
      return this.actions.push({ conflict: { key: item.entry.key, path: command.path, mine, base, current } });
    }
    const isMergeable = command.type === "patch" && base !== null && isUntouched(command.data, base.data, current.data);
    if (isChained && (base === null || isMergeable)) this.rebase(item, current);
    else this.fail(item, item.entry.error);
  }

  /** Makes a write again, on the present version. */
  rebase(item, current) {
    const result = resultIn(item.entry.base);
    // Those after it have not agreed to what another device wrote: they get the result, if it is dropped.
    item.entry.base = { ...current, ...(result && { result }) };
    item.entry.isChained = true;
    this.renew(item);
    this.keep(item);
  }

  renew(item) {
    const { entry } = item;
    const old = entry.key;
    const [, stem, count] = /^(.*?)(?:~(\d+))?$/.exec(old);
    const key = `${stem}~${Number(count ?? 0) + 1}`;
    const { ifVersion, ...command } = entry.command;
    const isGiven = ifVersion !== undefined && !entry.isChained;
    entry.command = { ...command, key, ...(isGiven && { ifVersion }) };
    Object.assign(entry, { key, state: "queued", firstSent: null, attempts: 0, error: null });
    Object.assign(item, { refusals: 0, until: null, ends: 0, isSuspect: false });
    this.measure(item);
    this.byKey.delete(old);
    this.byKey.set(key, item);
    this.actions.push({ renamed: { key: old, to: entry.key } });
  }

  fail(item, error) {
    item.entry.error = error;
    this.change(item, "failed");
    this.actions.push({ done: { key: item.entry.key, error } });
    if (!isHolding(item.entry)) return;
    const held = new Set();
    for (const other of this.items) {
      if (isHolding(other.entry)) held.add(other.entry.lane);
      else if (other.entry.state === "queued" && held.has(other.entry.lane)) this.change(other, "blocked");
    }
  }

  /** Forgets a write that will not be done; those that waited for it go on, each with the version it was made on. */
  drop(item, error) {
    // Told when the store has it no longer: a process that dies before must not send it after all.
    this.leaving.set(item.entry.key, error);
    this.actions.push({ remove: item.entry.key });
    this.handOn(item);
    this.forget(item);
    this.unblock(item.entry.lane);
  }

  unblock(lane) {
    for (const item of this.items) {
      if (item.entry.lane !== lane) continue;
      if (isHolding(item.entry)) return;
      if (item.entry.state === "blocked") this.change(item, "queued");
    }
  }

  finish(item, outcome) {
    this.forget(item);
    this.actions.push({ done: { key: item.entry.key, ...outcome } });
  }

  refuse(key, error) {
    this.actions.push({ refused: { key, error } });
  }

  isTooLarge(bytes) {
    return frameBytes(bytes) > this.messageBytes;
  }

  // Items

  /** `others` are the items of the lane. */
  merge(others, command, key) {
    const item = others.filter(({ entry }) => entry.state === "queued" && entry.command.type === command.type).at(-1);
    const merged = item && mergeCommands(item.entry.command, command);
    if (!merged || this.isTooLarge(byteCount(merged))) return false;
    item.entry.command = merged;
    this.measure(item);
    item.isTold = false;
    this.actions.push({ merged: { key, into: item.entry.key } });
    this.keep(item);
    return true;
  }

  add(entry, bytes, place = this.items.length) {
    const item = { entry, bytes, phase: null, ok: null, isKept: false, isTold: false, keeping: 0, until: null, refusals: 0, ends: 0, isSuspect: false, isCut: false, isGone: false };
    this.items.splice(place, 0, item);
    this.byKey.set(entry.key, item);
    this.bytes += bytes;
    return item;
  }

  /** Its command is another one. */
  measure(item) {
    this.bytes -= item.bytes;
    item.bytes = byteCount(item.entry.command);
    this.bytes += item.bytes;
  }

  /** Puts items to their places by the orders that the store gave; mostly they stand there already. */
  arrange() {
    let last = -Infinity;
    for (const { entry: { order } } of this.items) {
      const next = order ?? Infinity;
      if (next < last) {
        this.items.sort((one, other) => (one.entry.order ?? Infinity) - (other.entry.order ?? Infinity) || 0);
        return;
      }
      last = next;
    }
  }

  forget(item) {
    this.items.splice(this.items.indexOf(item), 1);
    this.byKey.delete(item.entry.key);
    this.bytes -= item.bytes;
  }

  find(key) {
    return this.byKey.get(key);
  }

  /** The entry with a key as it is stored; undefined when there is none. */
  entry(key) {
    const item = this.find(key);
    return item && !item.ok ? item.entry : undefined;
  }

  change(item, state) {
    item.entry.state = state;
    if (state !== "sent") item.isSuspect = false;
    this.save(item);
  }

  /** Stores an entry, which is answered by `kept`. */
  keep(item) {
    item.isKept = false;
    item.keeping += 1;
    this.actions.push({ keep: { ...item.entry } });
  }

  /** Stores what changed of an entry; nothing waits for it. */
  save(item) {
    this.actions.push({ save: { ...item.entry } });
  }
}

/** Whether an entry holds those after it in its lane until the app decides. */
function isHolding({ command, state }) {
  return (state === "failed" || state === "uncertain") && DOCUMENTS.has(command.type);
}

/** Whether an entry lets those after it pass. */
function isAside(entry) {
  return (entry.state === "failed" || entry.state === "uncertain") && !isHolding(entry);
}

/** Whether one before it in its lane holds it. */
function isHeld(items, item) {
  for (const other of items) {
    if (other === item) return false;
    if (other.entry.lane === item.entry.lane && isHolding(other.entry)) return true;
  }
}

/** The version that a base has from the write before, also one that was made again since. */
function resultIn(base) {
  return base?.isResult ? base : base?.result ?? null;
}

function resultOf({ type, data }, base) {
  return type === "put" ? data : mergePatch(base, data);
}

/** Whether a conflict shows what this very write makes: it was done before, and the server forgot its key. */
function isOurs({ type, data, ifVersion }, current) {
  if (type === "remove") return current.data === null;
  if (current.data === null || ifVersion > 0 && current.version !== ifVersion + 1) return false;
  return isSame(current.data, resultOf({ type, data }, current.data));
}

function alreadySent(message) {
  return { code: "already-sent", class: "permanent", message };
}

function lostEachTime(count) {
  return { code: "connection-lost", class: "permanent", message: `the connection ended each of the ${count} times that the write was sent` };
}

/** Whether an end may be the fault of what was sent: not one that the server or this device wanted. */
function isAbnormal(end) {
  if (end === true) return false;
  const code = end.closed?.code ?? null;
  return "lost" in end || "violation" in end || "closed" in end && (code === null || code >= 1002 && code <= 1011);
}
