import { WatchWiseError } from "./errors.js";
import { SessionMachine } from "./session.js";
import { OutboxMachine } from "./outbox.js";
import { DOCUMENTS } from "./lanes.js";
import { EventBatch, hasPosition } from "./event-batch.js";
import { CLOSE } from "./retrying.js";
import { isObject } from "./patches.js";
import { Transport } from "./transport.js";
import { Fetching } from "./fetching.js";
import { LeaderLost } from "./store.js";
import { byteCount, frameBytes, tooLarge } from "./sizes.js";
import { WatchedPeople } from "./presence.js";
// The one that connects: the machines with a socket, timers and the store. In a browser only the leading tab has one.

const TIMEOUT_MS = 30_000;
/** A timer of this length that is late by three of them tells that the machine slept. */
const WAKE_MS = 5000;
/** How often a connection is looked at while an answer is awaited: one that swallows everything is found out within 10 s. */
const PROBE_MS = 2000;
/** A longer timer would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** This number of replacements within this time shows that another device bears the same name. */
const REPLACED_MAX = 3;
const REPLACED_MS = 60_000;

/** Milliseconds of a clock that only goes forward. */
export function ticks() {
  return Math.floor(performance.now());
}

/** See `Core`, which makes it, for `owner`: state, event, changed, kept, settled, moved, conflict, refused. */
export class Engine {
  constructor({ owner, store, server, WebSocket, token, user, device, locale, client, leader, onConflict, batchMs }) {
    Object.assign(this, { owner, store, token, user, device, locale, client, leader });
    this.transport = new Transport(server, WebSocket, input => this.socketEvent(input));
    this.outbox = new OutboxMachine({ user, onConflict }, Math.random);
    this.session = null;
    this.requests = new Map();
    this.timers = {};
    this.todo = [];
    this.isStopped = false;
    this.offset = 0;      // the server's time less `ticks`
    this.cursor = null;   // what the store has
    this.batch = new EventBatch(this, batchMs);
    this.hints = [];
    this.replacedAt = [];
    this.fetching = new Fetching(this);
    this.people = new WatchedPeople(this);
  }

  get state() {
    return this.session?.state ?? { name: "idle" };
  }

  get isLive() {
    return this.state.name === "live";
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

  /** A page that nobody sees needs no timer: it is told when somebody looks. */
  watchTime(isWatching) {
    clearInterval(this.wakeTimer);
    this.lastTime = ticks();
    if (!isWatching || this.isStopped) return;
    this.wakeTimer = setInterval(() => this.noteTime(), WAKE_MS);
    this.wakeTimer.unref?.();
  }

  /** While somebody waits for an answer, silence is not waited out. */
  probe() {
    if (this.requests.size === 0 || this.isStopped) {
      clearInterval(this.probeTimer);
      this.probeTimer = null;
    } else if (this.session?.phase.name === "online") this.input({ hint: "woke" });
  }

  connect() {
    if (this.isStopped || this.session && this.session.phase.name !== "ended") return;
    const { user, device, locale, client, cursor } = this;
    // Only the holder of the lock has an engine, so the device that replaced it is not the one to stay.
    const onReplaced = this.leader ? "reconnect" : "end";
    this.session = new SessionMachine({ user, device, locale, client, since: cursor, storing: true, onReplaced }, Math.random);
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
    this.isStopped = true;
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

  hint(hint) {
    if (hint === "hidden" || hint === "visible") this.watchTime(hint === "visible");
    // The last of each pair is what holds when a session begins.
    // A page says often that it is visible; only that it has become so is a reason to try at once.
    if (hint !== "woke" && this.hints.includes(hint)) return;
    const pair = ["offline", "online"].includes(hint) ? ["offline", "online"] : ["visible", "hidden"];
    if (hint !== "woke") this.hints = [...this.hints.filter(other => !pair.includes(other)), hint];
    if (this.session) this.input({ hint });
  }

  /**
   * A command that is answered, or refused after a while; then it is not sent any more.
   * @param {(ok: object) => void} [options.atOnce] called with the reply at its place among the events
   */
  request(command, { timeoutMs = TIMEOUT_MS, persistence, atOnce = () => {} } = {}) {
    return new Promise((resolve, reject) => {
      if (!this.session) return reject(new WatchWiseError("retry", "not-connected", "there is no connection; call connect()"));
      const bytes = byteCount(command);
      const { messageBytes } = this.outbox;
      if (frameBytes(bytes) > messageBytes) return reject(WatchWiseError.from(tooLarge(bytes, messageBytes)));
      const { session } = this;
      const timer = setTimeout(() => {
        if (this.session === session) this.abandon(id);
        reject(new WatchWiseError("retry", "timeout", `no answer within ${timeoutMs / 1000} s`));
      }, timeoutMs);
      timer.unref?.();
      const settle = body => value => {
        clearTimeout(timer);
        body(value);
      };
      const resolved = settle(resolve);
      const refused = settle(reject);
      const take = ok => {
        try {
          atOnce(ok);
          resolved(ok);
        } catch (error) {
          refused(new WatchWiseError("retry", "internal", `the answer to ${command.type} lacks members: ${error.message}`));
        }
      };
      const id = this.submit({ command, persistence }, { resolve: take, reject: refused });
    });
  }

  /** Nobody waits for this answer any more. */
  abandon(id) {
    this.requests.delete(id);
    this.input({ abandon: id });
    this.probe();
  }

  /** A command of the moment: nobody waits for it. */
  tell(command) {
    if (this.session && this.isLive) this.submit({ command: { ...command }, persistence: "once" }, { resolve() {}, reject() {} });
  }

  submit(submitted, handler) {
    const request = { command: submitted.command, ...(submitted.persistence && { persistence: submitted.persistence }) };
    const actions = this.session.step({ submit: request }, ticks());
    const id = this.session.lastSubmitted;
    this.requests.set(id, handler);
    this.probeTimer ??= setInterval(() => this.probe(), PROBE_MS);
    this.probeTimer.unref?.();
    this.perform(actions);
    return id;
  }

  // The session

  input(input) {
    if (this.session) this.perform(this.session.step(input, ticks()));
  }

  /** Performs actions in order; those that arise meanwhile wait for their turn. */
  perform(actions) {
    this.todo.push(...actions);
    if (this.isPerforming) return;
    this.isPerforming = true;
    try {
      for (let action = this.todo.shift(); action; action = this.todo.shift()) this.act(action);
    } finally {
      this.isPerforming = false;
    }
    this.arm("session", this.session, () => this.input({ tick: true }));
  }

  act({ connect, send, disconnect, renewToken, report }) {
    if (connect) this.openSocket();
    else if (send) this.transport.send(send);
    else if (disconnect) {
      this.transport.close(disconnect);
      this.input({ ended: { lost: null } });
    } else if (renewToken) this.getToken("expiring").then(token => this.input({ renew: { token } }), () => this.input({ renew: {} }));
    else if (report) {
      const [name] = Object.keys(report);
      this[`report_${name}`](report[name]);
    }
  }

  openSocket() {
    const attempt = this.attempt = {};
    this.tokenPromise = this.getToken("connect");
    this.tokenPromise.catch(error => {
      if (this.attempt !== attempt) return;
      this.transport.close(1000);
      this.input({ ended: { lost: `the source of tokens failed: ${error?.message ?? error}` } });
    });
    this.transport.open();
  }

  /** One question for all who wait, however often the connection is tried meanwhile. */
  getToken(reason) {
    this.tokenAsked ??= Promise.resolve().then(() => this.token({ reason })).finally(() => {
      this.tokenAsked = null;
    });
    return this.tokenAsked;
  }

  async socketEvent(input) {
    if (!input.opened) return this.input(input);
    const { attempt } = this;
    try {
      const token = await this.tokenPromise;
      await this.batch.stored();  // the cursor that is named is the store's
      if (this.attempt === attempt) this.input({ opened: { token: token ?? null } });
    } catch { /* told where it was asked for */ }
  }

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

  report_reply({ command, ok, error }) {
    const request = this.requests.get(command);
    this.requests.delete(command);
    if (ok) request?.resolve(ok);
    else request?.reject(error ? WatchWiseError.from(error) : new WatchWiseError("retry", "lost", "the connection ended before the answer"));
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

  arm(name, machine, tick) {
    const deadline = machine?.deadline ?? null;
    const timer = this.timers[name];
    if (timer?.deadline === deadline) return;
    clearTimeout(timer?.id);
    if (deadline === null || this.isStopped) return void delete this.timers[name];
    const id = setTimeout(() => {
      delete this.timers[name];
      tick();
    }, Math.min(Math.max(0, deadline - ticks()), TIMER_MAX_MS));
    this.timers[name] = { id, deadline };
  }

  noteTime() {
    const now = ticks();
    if (now - this.lastTime > 4 * WAKE_MS) this.hint("woke");
    this.lastTime = now;
  }
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
