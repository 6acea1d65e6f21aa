import { WatchWiseError } from "./errors.js";
import { SessionMachine } from "./session.js";
import { OutboxMachine } from "./outbox.js";
import { DOCUMENTS } from "./lanes.js";
import { EventBatch, hasPosition } from "./event-batch.js";
import { CLOSE } from "./retrying.js";
import { isObject } from "./patches.js";
import { Connection, ticks } from "./connection.js";
import { Fetching } from "./fetching.js";
import { LeaderLost } from "./store.js";
import { WatchedPeople } from "./presence.js";
// The one that connects: the machines with a socket, timers and the store. In a browser only the leading tab has one.

/** This number of replacements within this time shows that another device bears the same name. */
const REPLACED_MAX = 3;
const REPLACED_MS = 60_000;

export { ticks };

/** See `Core`, which makes it, for `owner`: state, event, changed, kept, settled, moved, conflict, refused. */
export class Engine extends Connection {
  constructor({ owner, store, server, WebSocket, token, user, device, locale, client, leader, onConflict, batchMs }) {
    super({ server, WebSocket, token });
    Object.assign(this, { owner, store, user, device, locale, client, leader });
    this.outbox = new OutboxMachine({ user, onConflict }, Math.random);
    this.offset = 0;      // the server's time less `ticks`
    this.cursor = null;   // what the store has
    this.batch = new EventBatch(this, batchMs);
    this.replacedAt = [];
    this.fetching = new Fetching(this);
    this.people = new WatchedPeople(this);
  }

  get messageBytes() {
    return this.outbox.messageBytes;
  }

  /** The cursor that is named is the store's. */
  prepared() {
    return this.batch.stored();
  }

  /** What lists lay over the rows: an entry stays until its own event is in the store. */
  get entries() {
    const others = this.outbox.entries.filter(({ key }) => !this.batch.settling.has(key));
    return [...this.batch.settling.values(), ...others].sort((one, other) => (one.order ?? Infinity) - (other.order ?? Infinity) || 0);
  }

  /** Reads the store, then connects. */
  async start({ isForeign = false } = {}) {
    this.cursor = (await this.store.get("meta", "cursor"))?.value ?? null;
    const preferences = (await this.store.get("meta", "preferences"))?.value;
    const limits = (await this.store.get("meta", "limits"))?.value;
    if (limits) this.feed({ limits });
    this.feed({ restored: { entries: await this.store.range("outbox", {}), isForeign } });
    if (preferences) this.feed({ preferences });
    if (this.cursor === null) this.feed({ reset: true });
    await this.fetching.load();
    this.watchTime(!this.hints.includes("hidden"));
  }

  connect() {
    if (this.isStopped || this.goesOn()) return;
    const { user, device, locale, client, cursor } = this;
    // Only the holder of the lock has an engine, so the device that replaced it is not the one to stay.
    const onReplaced = this.leader ? "reconnect" : "end";
    this.session = new SessionMachine({ user, device, locale, client, since: cursor, storing: true, onReplaced, retriesTokens: true }, Math.random);
    for (const hint of this.hints) this.input({ hint });
    this.input({ start: true });
  }

  /** Ends the connection; what is on its way into the store arrives there. */
  async disconnect() {
    this.isLeaving = true;  // "closed" is for good
    if (this.session) this.input({ stop: true });
    this.isLeaving = false;
    this.session = null;
    await this.batch.stored();
    this.owner.told(this.state);
  }

  /** For good. `isLost`: another tab leads, so nothing more may be written. */
  async stop({ isLost = false } = {}) {
    Object.assign(this, { isStopped: true, isLost });
    clearInterval(this.wakeTimer);
    clearInterval(this.probeTimer);
    if (isLost) this.batch.drop(() => true);
    if (this.session) this.input({ stop: true });
    this.transport.close(1000);
    for (const timer of Object.values(this.timers)) clearTimeout(timer.id);
    const ended = isLost && !this.owner.isClosed ? new WatchWiseError("retry", "lost", "another tab leads now")
      : new WatchWiseError("closed", "closed", "the library was closed");
    for (const request of this.requests.values()) request.reject(ended);
    this.requests.clear();
    if (!isLost) await this.batch.stored();
  }

  // The session

  report_online(hello) {
    this.hello = hello;
    if (this.welcomed !== this.attempt && this.session.phase.fetchedAt !== null) this.batch.isHolding = true;
    this.welcomed = this.attempt;  // what follows on the same connection is a new token
    const time = Date.parse(hello.time);
    if (Number.isFinite(time)) this.offset = time - ticks();
    this.batch.add({ type: "unread", ...hello.unread });
    const changes = this.owner.pushes.welcomed(hello.push?.webpush);
    if (hello.limits) {
      this.feed({ limits: hello.limits });
      const { messageBytes } = this.outbox;
      if (messageBytes !== this.owner.messageBytes) changes.push({ put: ["meta", { name: "limits", value: { messageBytes } }] });
    }
    if (changes.length) this.batch.add({ changes });
  }

  report_live(seq) {
    const { epoch } = this.hello;
    if (this.session.phase.fetchedAt !== null) return this.refetch(epoch, seq);
    this.batch.add({ reached: { epoch, seq } });
  }

  report_reached(reached) {
    this.batch.add({ reached });
  }

  report_reset(reason) {
    this.batch.isHolding = true;
    this.feed({ reset: true });
    this.owner.events([{ type: "reset", reason }]);
  }

  report_event(event) {
    if (!isWellFormed(event)) return this.report_violation({ malformed: event });
    if (!Number.isInteger(event.seq)) {
      if (event.type === "unread") return this.batch.add(event);
      if (event.type === "unwatched") this.fetching.unwatched(event);
      if (event.type === "presence") this.people.took(event);
      return this.owner.events([event]);
    }
    const key = event.key;
    const entry = key && this.outbox.entry(key);
    // Before the outbox lets it go: lists are told meanwhile, and must not show the old state for a moment.
    if (entry) this.batch.settling.set(key, entry);
    this.feed({ event }, this.batch.changes);
    if (entry && this.outbox.entry(key) === entry) this.batch.settling.delete(key);
    this.batch.add(event);
  }

  report_violation(violation) {
    this.owner.events([{ type: "violation", violation }]);
  }

  report_offline({ end = true } = {}) {
    this.feed({ offline: end });
    if (end.closed?.code === CLOSE.replaced) this.noteReplaced();
    // The next connection begins at the same point, and brings these events again.
    if (this.batch.isHolding) this.batch.drop(hasPosition);
    this.batch.isHolding = false;
    this.fetching.disconnected();
    this.people.disconnected();
  }

  report_ended() {
    this.report_offline();
  }

  /** The holder of the lock is replaced once when the lock changes hands; again and again only by a copy of its store. */
  noteReplaced() {
    const now = ticks();
    this.replacedAt = [...this.replacedAt.filter(at => now - at < REPLACED_MS), now];
    if (this.leader && this.replacedAt.length >= REPLACED_MAX) this.owner.copied();
  }

  report_state(state) {
    if (this.isStopped || this.isLeaving) return;
    this.owner.told(state);
    if (state.name === "live") this.wentLive();
  }

  /** What is watched is watched again, then the outbox goes. */
  async wentLive() {
    const { session } = this;
    this.people.ask();
    await this.fetching.watchAgain();
    await this.batch.stored();
    if (this.session === session && this.isLive) this.feed({ live: { time: ticks() + this.offset } });
  }

  /** The state is fetched again and stored in one transaction with the cursor; events wait until then. */
  async refetch(epoch, seq) {
    const { session, attempt } = this;
    const isCurrent = () => this.session === session && this.attempt === attempt && session.phase.epoch === epoch && !this.isLive;
    await this.batch.stored();
    try {
      const changes = await this.fetching.everything();
      if (!isCurrent()) return;
      this.batch.replace({ replaced: changes, reached: { epoch, seq } });
    } catch (error) {
      if (error.kind !== "retry" && error.kind !== "closed") this.owner.events([{ type: "violation", violation: { refetch: error.message } }]);
      // Lost with its connection, which begins again; while it stands, after a while.
      if (isCurrent()) setTimeout(() => isCurrent() && this.refetch(epoch, seq), 1000).unref?.();
    }
  }

  // The outbox

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
    for (const action of actions) this.outboxAction(action);
    this.arm("outbox", this.outbox, () => this.feed({ tick: true }));
    if (actions.length) this.owner.changed(["outbox"]);
  }

  async storeEntries(changes, kept, actions) {
    if (this.isLost && kept.length === 0) return;  // the next leader has the entries as they were
    const durable = kept.some(entry => entry.order === null);
    try {
      const orders = await this.store.write(changes, { durable, leader: this.leader });
      for (const { removeEntry } of changes) if (removeEntry) this.feed({ removed: removeEntry });
      for (const { key } of kept) this.feed({ kept: { key, order: orders[key], durable: this.store.isDurable } });
      this.owner.outboxStored();
    } catch (error) {
      this.owner.storeFailed(error);
      if (error instanceof LeaderLost) await this.owner.writes.handOver(kept, actions);
    }
  }

  outboxAction({ kept, send, done, refused, merged, renamed, conflict }) {
    if (kept) this.owner.kept(kept);
    else if (send) this.sendWrite(send);
    else if (done?.ok) this.batch.stored().then(() => this.owner.settled(done));  // a read after it finds what it did
    else if (done) this.owner.settled(done);
    else if (refused) this.owner.refused(refused);
    else if (merged) this.owner.moved(merged.key, merged.into);
    else if (renamed) this.owner.moved(renamed.key, renamed.to);
    else if (conflict) this.owner.conflict(conflict);
  }

  sendWrite({ key, command }) {
    const reply = outcome => this.feed({ reply: { key, ...outcome } });
    const reject = error => reply(error.code === "lost" || error.kind === "closed" ? { lost: true } : { error: plain(error) });
    if (!this.session) return reject({ code: "lost" });
    this.submit({ command, persistence: "once" }, { resolve: ok => this.writeDone(key, command, ok, reply), reject });
  }

  /** No event tells this device of a document that it does not watch. */
  writeDone(key, command, ok, reply) {
    const entry = this.outbox.entry(key);
    if (!DOCUMENTS.has(command.type) || !entry) return reply({ ok });
    const { version, seq } = ok;
    const { path } = command;
    if (!Number.isInteger(version)) return reply({ ok });
    // A patch that changed nothing is answered without the document, which need not be here.
    if (command.type === "patch" && ok.data === undefined) return reply({ ok });
    const data = ok.data ?? (command.type === "put" ? command.data : null);
    this.batch.settling.set(key, entry);
    this.batch.add({ type: "document", path, version, seq, data, isFetched: true });
    reply({ ok });
  }

  // Time
}

/** The members without which an event cannot be stored, with their types; `n` is a number. */
const MEMBERS = {
  message: "chat n from", "message.edited": "chat n", "message.deleted": "chat n", reaction: "chat n emoji user", read: "chat n user", delivered: "chat n user",
  archived: "chat", "chat.renamed": "chat to", room: "chat", "room.invited": "chat title by at expires", "room.uninvited": "chat",
  followed: "topic", unfollowed: "topic", notification: "id", "notification.removed": "id", "notification.edited": "id",
  document: "path",
};

/** Whether an event can be stored: a server of another make, or somebody in between, may send anything. */
function isWellFormed(event) {
  const { type, chats, notifications, ids, preferences, room, version, data } = event;
  const members = Object.hasOwn(MEMBERS, type) ? MEMBERS[type].split(" ") : [];
  if (!members.every(name => name === "n" ? Number.isSafeInteger(event.n) && event.n > 0 : typeof event[name] === "string" && event[name] !== "")) return false;
  switch (type) {
  case "unread": return Number.isSafeInteger(chats) && Number.isSafeInteger(notifications);
  case "notification.seen": return ids === undefined ? Number.isSafeInteger(event.upTo) : Array.isArray(ids) && ids.every(id => typeof id === "string");
  case "preferences": return isObject(preferences);
  case "room": return room === undefined || isObject(room);
  case "document": return Number.isSafeInteger(version) && (data === null || isObject(data));
  default: return true;
  }
}

function plain({ kind, code, message, field, retryAfterMs, current }) {
  return { code, class: kind, message, ...(field && { field }), ...(retryAfterMs !== undefined && { retryAfterMs }), ...current };
}
