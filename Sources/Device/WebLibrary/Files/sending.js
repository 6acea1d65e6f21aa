import { ticks } from "./connection.js";
import { DOCUMENTS, makeEntry } from "./lanes.js";
import { randomName } from "./names.js";
import { OutboxMachine } from "./outbox.js";
// The outbox of an engine: its machine with the store and the connection.

/** A command as the app gave it: that of a chain got its version when it was about to be sent. */
function asWritten({ command, isChained }) {
  const { ifVersion, ...chained } = command;
  return isChained ? chained : command;
}

export class Sending {
  constructor(engine) {
    const { user, onConflict, owner, store } = engine;
    Object.assign(this, { engine, owner, store, outbox: new OutboxMachine({ user, onConflict }, Math.random) });
  }

  /** Takes what the store has, and what the engine knows already: it may be connected for a while. */
  begin(entries) {
    const { engine } = this;
    const { messageBytes, isForeign, isReset, isReady, preferences } = engine;
    this.feed({ limits: { messageBytes } });
    this.feed({ restored: { entries, isForeign } });
    if (preferences) this.feed({ preferences });
    if (isReset) this.feed({ reset: true });
    if (isReady) engine.ready();
  }

  /** What lists lay over the rows: an entry stays until its own event is in the store. */
  get entries() {
    const { settling } = this.engine.batch;
    const others = this.outbox.entries.filter(({ key }) => !settling.has(key));
    return [...settling.values(), ...others].sort((one, other) => (one.order ?? Infinity) - (other.order ?? Infinity) || 0);
  }

  /** A durable event, which may be that of a write. */
  took(event) {
    const { key } = event;
    const { batch } = this.engine;
    const entry = key && this.outbox.entry(key);
    // Before the outbox lets it go: lists are told meanwhile, and must not show the old state for a moment.
    if (entry) batch.settling.set(key, entry);
    this.feed({ event }, batch.changes);
    if (entry && this.outbox.entry(key) === entry) batch.settling.delete(key);
  }

  /** @param {object[]} [changes] where what the store has to do goes, when somebody else stores it */
  feed(input, changes) {
    const actions = this.outbox.step(input, ticks());
    const stored = changes ?? [];
    const kept = [];
    for (const action of actions) {
      if (action.keep) {
        stored.push({ keepEntry: action.keep });
        kept.push(action.keep);
      } else if (action.save) stored.push({ keepEntry: action.save });
      else if (action.remove) stored.push({ removeEntry: action.remove });
    }
    if (stored.length && !changes) this.storeEntries(stored, kept, actions);
    else if (kept.length) this.storeEntries(stored.splice(0), kept, actions);
    for (const action of actions) this.perform(action);
    this.engine.arm("outbox", this.outbox, () => this.feed({ tick: true }));
    if (actions.length) this.owner.changed(["outbox"]);
  }

  storeEntries(changes, kept, actions) {
    const stored = this.writeEntries(changes, kept, actions);
    if (kept.length === 0) return;
    const { unsure } = this.owner.writes;
    unsure.add(stored);
    stored.finally(() => unsure.delete(stored));
  }

  async writeEntries(changes, kept, actions) {
    const { engine, owner, store } = this;
    if (engine.isLost && kept.length === 0) return;  // the next leader has the entries as they were
    const durable = kept.some(entry => entry.order === null);
    try {
      const orders = await store.write(changes, { durable, leader: engine.leader });
      for (const { removeEntry } of changes) if (removeEntry) this.feed({ removed: removeEntry });
      for (const { key } of kept) this.feed({ kept: { key, order: orders[key], durable: store.isDurable } });
      owner.outboxStored();
    } catch (error) {
      if (owner.storeFailed(error)) await this.handOver(kept, actions);
    }
  }

  /**
   * Another tab leads: the writes that this one could not store any more are stored as by a tab that follows.
   * @param {object[]} kept the entries of a transaction that changed nothing, of a step with these actions
   */
  async handOver(kept, actions) {
    const { owner } = this;
    const merged = new Set(actions.map(action => action.merged?.into));
    for (const { renamed } of actions) if (renamed) owner.moved(renamed.to, renamed.key);  // the store has it as it was
    for (const entry of kept) {
      let { key } = entry;
      if (entry.order !== null) {
        if (!merged.has(key)) continue;
        // The entry that it became part of is the new leader's, and may be sent already.
        key = randomName();
        owner.moved(entry.key, key);
      }
      await owner.writes.storeEntry(makeEntry(key, { ...asWritten(entry), key }, entry.base, owner.user));
    }
  }

  perform({ kept, send, done, refused, merged, renamed, conflict }) {
    const { engine, owner } = this;
    if (kept) owner.kept(kept);
    else if (send) this.send(send);
    else if (done?.ok) engine.batch.stored().then(() => owner.settled(done));  // a read after it finds what it did
    else if (done) owner.settled(done);
    else if (refused) owner.refused(refused);
    else if (merged) owner.moved(merged.key, merged.into);
    else if (renamed) owner.moved(renamed.key, renamed.to);
    else if (conflict) this.decide(conflict);
  }

  async decide(conflict) {
    const { engine, owner } = this;
    let choice = "theirs";
    try {
      choice = await owner.options.onConflict(conflict);
    } catch (error) {
      owner.emit("error", error);
    }
    // Another engine has asked again meanwhile, and decides by the answer to its own question.
    if (owner.engine !== engine) return;
    const isChoice = choice === "mine" || choice === "theirs";
    this.feed({ resolve: { key: conflict.key, choice: isChoice ? choice : { data: choice } } });
  }

  send({ key, command }) {
    const { engine } = this;
    const reply = outcome => this.feed({ reply: { key, ...outcome } });
    const reject = error => reply(error.code === "lost" || error.kind === "closed" ? { lost: true } : { error: plain(error) });
    if (!engine.session) return reject({ code: "lost" });
    engine.submit({ command, persistence: "once" }, { resolve: ok => this.done(key, command, ok, reply), reject });
  }

  /** No event tells this device of a document that it does not watch. */
  done(key, command, ok, reply) {
    const { batch } = this.engine;
    const entry = this.outbox.entry(key);
    if (!DOCUMENTS.has(command.type) || !entry) return reply({ ok });
    const { version, seq } = ok;
    const { path } = command;
    if (!Number.isInteger(version)) return reply({ ok });
    // A patch that changed nothing is answered without the document, which need not be here.
    if (command.type === "patch" && ok.data === undefined) return reply({ ok });
    const data = ok.data ?? (command.type === "put" ? command.data : null);
    batch.settling.set(key, entry);
    batch.add({ type: "document", path, version, seq, data, isFetched: true });
    reply({ ok });
  }

  /** `cancel`, `retry` or `discard` of the app; returns whether it was done. */
  control(name, key) {
    const stateOf = () => this.outbox.entry(key);
    if (!stateOf()) return false;
    const { writes } = this.owner;
    writes.hasRefused = false;
    this.feed({ [name]: key });
    return !writes.hasRefused && stateOf()?.state !== "failed";
  }
}

function plain({ kind, code, message, field, retryAfterMs, current }) {
  return { code, class: kind, message, ...(field && { field }), ...(retryAfterMs !== undefined && { retryAfterMs }), ...current };
}
