import { WatchWiseError } from "./errors.js";
import { SessionMachine } from "./session.js";
import { EventBatch, hasPosition } from "./event-batch.js";
import { CLOSE } from "./retrying.js";
import { isObject } from "./patches.js";
import { Connection, ticks } from "./connection.js";
import { Fetching } from "./fetching.js";
// The one that connects: the machine of the session with a socket, timers and the store. In a browser only the leading tab has one.
// Its outbox, and what it watches, are in a part that is loaded later; `Core` begins with it when it is here.

/** This number of replacements within this time shows that another device bears the same name. */
const REPLACED_MAX = 3;
const REPLACED_MS = 60_000;

export { ticks };

/** See `Core`, which makes it, for `owner`: state, event, changed, kept, settled, moved, conflict, refused. */
export class Engine extends Connection {
  constructor({ owner, store, server, WebSocket, token, user, device, locale, client, leader, onConflict, batchMs }) {
    super({ server, WebSocket, token });
    Object.assign(this, { owner, store, user, device, locale, client, leader, onConflict });
    this.sending = null;  // the outbox
    this.paths = null;    // watched documents
    this.people = null;   // who is watched
    this.wanted = new Map();  // what is to be watched, by tab: {paths, users}
    this.messageBytes = owner.messageBytes;
    this.preferences = null;
    this.isReady = false;  // whether the outbox may send
    // Where writes may have been sent the connection waits for the outbox: their own events tell how they ended, and come once.
    this.isHeld = false;
    this.offset = 0;      // the server's time less `ticks`
    this.cursor = null;   // what the store has
    this.batch = new EventBatch(this, batchMs);
    this.replacedAt = [];
    this.fetching = new Fetching(this);
  }

  get state() {
    return this.isHeld && this.session ? { name: "connecting" } : super.state;
  }

  /** The machine of the outbox; null until its part is here. */
  get outbox() {
    return this.sending?.outbox ?? null;
  }

  /** Without its part the outbox is what the store has. */
  feed(input, changes) {
    this.sending?.feed(input, changes);
  }

  get wantedPaths() {
    return new Set([...this.wanted.values()].flatMap(({ paths }) => paths));
  }

  /** The cursor that is named is the store's. */
  prepared() {
    return this.batch.stored();
  }

  /** Reads the store. */
  async start({ isForeign = false } = {}) {
    const { store, leader } = this;
    this.isForeign = isForeign;
    this.cursor = (await store.get("meta", "cursor"))?.value ?? null;
    this.preferences = (await store.get("meta", "preferences"))?.value ?? null;
    this.isReset = this.cursor === null;
    // As long as a watch is active, it has everything up to the cursor, which moves on with this connection.
    const active = (await store.range("watches", {})).filter(({ isActive }) => isActive);
    if (active.length) await store.write(active.map(watch => ({ put: ["watches", { ...watch, ...this.cursor, isActive: false }] })), { leader });
    this.watchTime(!this.hints.includes("hidden"));
  }

  connect() {
    if (this.isStopped || this.goesOn()) return;
    const { user, device, locale, client, cursor } = this;
    // Only the holder of the lock has an engine, so the device that replaced it is not the one to stay.
    const onReplaced = this.leader ? "reconnect" : "end";
    this.session = new SessionMachine({ user, device, locale, client, since: cursor, storing: true, onReplaced, retriesTokens: true }, Math.random);
    for (const hint of this.hints) this.input({ hint });
    if (this.isHeld) this.owner.told(this.state);
    else this.input({ start: true });
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
    const messageBytes = hello.limits?.messageBytes;
    if (Number.isSafeInteger(messageBytes) && messageBytes > 0) {
      this.messageBytes = messageBytes;
      this.feed({ limits: { messageBytes } });
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
    this.isReset = true;
    this.feed({ reset: true });
    this.owner.events([{ type: "reset", reason }]);
  }

  report_event(event) {
    if (!isWellFormed(event)) return this.report_violation({ malformed: event });
    if (!Number.isInteger(event.seq)) {
      if (event.type === "unread") return this.batch.add(event);
      if (event.type === "unwatched") this.paths?.unwatched(event);
      if (event.type === "presence") this.people?.took(event);
      return this.owner.events([event]);
    }
    if (event.type === "preferences") this.preferences = event.preferences;
    this.sending?.took(event);
    this.batch.add(event);
  }

  tookPreferences(preferences) {
    this.preferences = preferences;
    this.feed({ preferences });
  }

  report_violation(violation) {
    this.owner.events([{ type: "violation", violation }]);
  }

  report_offline({ end = true } = {}) {
    this.isReady = false;
    this.feed({ offline: end });
    if (end.closed?.code === CLOSE.replaced) this.noteReplaced();
    // The next connection begins at the same point, and brings these events again.
    if (this.batch.isHolding) this.batch.drop(hasPosition);
    this.batch.isHolding = false;
    this.paths?.disconnected();
    this.people?.disconnected();
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
    this.people?.ask();
    await this.paths?.watchAgain();
    await this.batch.stored();
    if (this.session === session && this.isLive) this.ready();
  }

  ready() {
    Object.assign(this, { isReady: true, isReset: false });
    this.feed({ live: { time: ticks() + this.offset } });
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

  // What comes later

  /** Begins with the late part: the outbox, and what is watched. */
  async begin({ Sending, WatchedPaths, WatchedPeople }) {
    const paths = new WatchedPaths(this, WatchWiseError);
    await paths.load();
    const entries = await this.store.range("outbox", {});
    if (this.sending || this.isStopped) return;
    Object.assign(this, { sending: new Sending(this), paths, people: new WatchedPeople(this) });
    this.sending.begin(entries);
    for (const [tab, wanted] of this.wanted) this.want(tab, wanted);
  }

  /** The outbox has begun: the connection that waited for it does not any more. */
  release() {
    this.isHeld = false;
    this.input({ start: true });
  }

  /** The paths and people that a tab watches now. */
  want(tab, wanted) {
    if (wanted.paths.length || wanted.users.length) this.wanted.set(tab, wanted);
    else this.wanted.delete(tab);
    this.paths?.want();
    this.people?.want(tab, wanted.users);
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
