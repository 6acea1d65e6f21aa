import { WatchWiseError, callApp } from "./errors.js";
import { EMPTY, LeaderLost } from "./store.js";
import { Engine, ticks } from "./engine.js";
import { Changes } from "./changes.js";
import { LatePart } from "./late.js";
import { LiveList } from "./lists.js";
import { layers } from "./overlay.js";
import { Tabs } from "./tabs.js";
import { randomName } from "./names.js";
import { Needs } from "./needs.js";
import { isSame } from "./patches.js";
import { Push } from "./push.js";
import { nameDevice, openStore, openingUser } from "./opening.js";
import { Writes } from "./writes.js";
import { MESSAGE_BYTES } from "./sizes.js";
import { lastUser } from "./users.js";
// What the API stands on: the store of this tab, whether it leads, and what it hears from the one that does.

const CALL_MS = 30_000;
/** How long a start waits for the part for writes when there are some. */
const PART_MS = 1000;
const MINUTE_MS = 60_000;
/** How many further rows `more` shows, unless its caller says otherwise. */
const PAGE_MORE = 50;
/** How long a sign-out waits for the other tabs to let go of the store. */
const PARTING_MS = 50;

/** The language of the system, if it has one: WebKitGTK says "C" where none is set, which is no language. */
function systemLanguage() {
  const { language } = globalThis.navigator ?? {};
  return /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(language) ? language : null;
}

/** An error as other tabs can have it. */
function plainError({ kind = "retry", code = "internal", message, field, retryAfterMs, current }) {
  return { class: kind, code, message, field, retryAfterMs, current };
}

/** Everything but the words of the API. */
export class Core {
  constructor(options) {
    this.options = options;
    this.listeners = new Map();
    this.lists = new Set();
    this.writing = new LatePart("writes", part => this.arrived(part), ({ code, message }) => this.storeFailed({ name: code, message }));
    this.writes = new Writes(this);
    this.calls = new Map();
    this.watchStates = new Map();
    this.engine = null;
    this.storedEntries = [];
    this.leaderState = { name: "idle" };
    this.messageBytes = MESSAGE_BYTES;  // the longest message that the server takes
    this.isWanted = true;      // whether there is to be a connection
    this.isClosed = false;
    this.pushes = new Push(this);
    this.needs = new Needs(this);
    this.unlisten = [];
  }

  async open() {
    const { options } = this;
    const locks = options.locks ?? globalThis.navigator?.locks;
    const isPage = typeof globalThis.document !== "undefined";
    this.user = options.user ?? await openingUser(this, isPage && locks);
    // Tabs that share a store share a device and its connection; a store of another name is another device.
    const { storage } = options;
    const isNamed = isPage && typeof storage === "string" && storage !== "memory";
    this.name = isNamed ? storage : `watchwise:${options.server}:${this.user}`;
    await openStore(this, isPage && locks);
    this.device = await nameDevice(this);
    lastUser.keep(options.server, this.user);
    this.isRemembered = lastUser.of(options.server) === this.user;
    await this.readLimits();
    this.storedEntries = await this.store.range("outbox", {});
    // A page is to be shown before all of the library is here; elsewhere it is no later.
    if (!isPage) await this.writing.load().catch(() => {});
    else if (this.storedEntries.length) await Promise.race([this.writing.want(), new Promise(resolve => setTimeout(resolve, PART_MS))]);
    await this.pushes.start();
    this.tabs = new Tabs({
      name: this.name, locks: isPage && this.store.isDurable ? locks : undefined, Channel: globalThis.BroadcastChannel,
      onLead: () => this.lead(), onLose: () => this.loseLead(), onMessage: message => this.take(message),
    });
    this.tabs.start();
    this.tabs.post({ kind: "arrived" });
    if (isPage) this.needs.watchPage();
    this.minuteTimer = setInterval(() => {
      this.trim();
      this.needs.callRoll();
    }, MINUTE_MS);
    this.minuteTimer.unref?.();
    return this;
  }

  // Leading

  async lead({ isForeign = false } = {}) {
    const { options, store, user, device, tabs } = this;
    const isShared = tabs.channel !== null;
    const engine = new Engine({
      owner: this, store, user, device, server: options.server, WebSocket: options.webSocket ?? globalThis.WebSocket, token: options.token,
      locale: options.locale ?? systemLanguage(), client: options.client ?? "watchwise-js/1", batchMs: options.batchMs,
      leader: isShared ? tabs.id : undefined, onConflict: Boolean(options.onConflict),
    });
    this.leading = engine;
    try {
      if (isShared) await store.write([{ put: ["meta", { name: "leader", value: tabs.id }] }], { durable: true });
      await engine.start({ isForeign });
      const mayBeSent = (await store.range("outbox", {})).some(({ state }) => state === "sent" || state === "uncertain");
      if (this.writing.here) await engine.begin(this.writing.here);
      else engine.isHeld = mayBeSent;
    } catch (error) {
      return void this.storeFailed(error);
    }
    if (this.leading !== engine) return;
    this.engine = engine;
    this.needs.sayWanted();
    this.needs.sayLooking();
    if (globalThis.navigator?.onLine === false) engine.hint("offline");
    // First of all: what was asked for until now waits for the connection.
    if (this.isWanted) engine.connect();
    await this.pickUp();
    if (this.engine !== engine) return;
    tabs.post({ kind: "leads" });
    for (const call of this.calls.values()) call.again();
    this.changed(["outbox"]);
    await this.afterLeader();
    this.writes.settleGone();
  }

  /** The late part is here: lists show the writes that wait, and the engine begins with it; one that starts does it by itself. */
  async arrived(part) {
    Object.assign(layers, part.LAYERS);
    if (!this.tabs || this.isClosed) return;
    const { engine } = this;
    try {
      await engine?.begin(part);
      await this.pickUp();
    } catch (error) {
      this.storeFailed(error);
    }
    if (this.isClosed) return;
    engine?.release();
    this.changed_(["outbox"]);
    this.writes.settleGone();
  }

  /** Another one led before, which may have ended between storing something and saying so. */
  afterLeader() {
    return this.leaderName === undefined ? this.readEntries() : this.changed_(["everything"]);
  }

  loseLead() {
    const engine = this.leading;
    this.leading = this.engine = null;
    engine?.stop({ isLost: !this.isClosed });
    if (this.isClosed) return;
    // What the new leader has said meanwhile was heard as a leader: ask again, and read again.
    this.leaderState = { name: "connecting" };
    this.tabs.post({ kind: "arrived" });
    this.changed_(["everything"]);
  }

  /** Another device has a copy of this store: this one takes another name, and what it sent may be the other's. */
  async copied() {
    const engine = this.leading;
    this.leading = this.engine = null;
    this.device = `js-${randomName()}`;
    await engine.stop();
    await this.store.write([{ put: ["meta", { name: "device", value: this.device }] }], { leader: engine.leader });
    this.emit("storage", { state: "copied" });
    if (this.tabs.isLeader && !this.isClosed) await this.lead({ isForeign: true });
  }

  /** Entries that other tabs have stored, and those that they have taken away. */
  async pickUp() {
    const { sending } = this;
    if (!sending) return this.changed_(["outbox"]);  // which reads them
    const stored = await this.store.range("outbox", {});
    if (this.sending !== sending) return;
    const { outbox } = sending;
    const count = outbox.items.length;
    for (const entry of stored) sending.feed({ added: entry });
    if (outbox.items.length > count) this.changed_(["outbox"]);  // the other tab may have spoken of it before it was here
  }

  get state() {
    return this.engine?.state ?? this.leaderState;
  }

  get handles() {
    return this.writes.handles;
  }

  /** The outbox, where this tab leads and its part is here. */
  get sending() {
    return this.engine?.sending ?? null;
  }

  get entries() {
    return this.sending?.entries ?? this.storedEntries;
  }

  /** The server's time in milliseconds since 1970, as far as this device knows it. */
  get serverTime() {
    return this.engine?.hello ? ticks() + this.engine.offset : Date.now();
  }

  /** Whether a watched path is complete, or why it cannot be watched. */
  watchState(path) {
    return this.watchStates.get(path) ?? { complete: false, error: null };
  }

  watchTold(path, state) {
    this.watchStates.set(path, state);
    this.changed_([`doc:${path}`]);
    this.tellWatch(path);
  }

  /** Tells other tabs how it stands with a watched path. */
  tellWatch(path) {
    const state = this.watchStates.get(path);
    if (state) this.tabs.post({ kind: "watch", path, state: { ...state, error: state.error && plainError(state.error) } });
  }

  peopleTold(people) {
    this.needs.people?.take(people);
    this.tabs.post({ kind: "people", people });
  }

  // Words between tabs

  take(message) {
    const { engine, tabs } = this;
    this.needs.heard.add(message.from);
    switch (message.kind) {
    case "arrived": return engine && tabs.post({ kind: "leads", to: message.from, state: this.state });
    case "leads":
      if (message.from !== this.leaderName) this.afterLeader().then(() => this.writes.settleGone());
      this.leaderName = message.from;
      this.needs.sayWanted();
      this.needs.sayLooking();
      if (!message.isRoll) for (const call of this.calls.values()) call.again();
      return message.state && this.state_(message.state);
    case "state": return this.state_(message.state);
    case "events": return message.events.forEach(event => this.hear(event));
    case "people": return engine ? undefined : this.needs.people?.take(message.people);
    case "changed": return this.changed_(message);
    case "settled": return this.readEntries().then(() => this.handles.settle(message.settled));
    case "moved": return this.handles.move(message.key, message.into);
    case "connect": return this.isWanted && engine?.connect();
    case "poke": return engine && this.pickUp();
    case "trimmed": return engine?.paths?.forget(message.paths);
    case "signed-out": return this.signedOut();
    case "want": return engine && this.needs.want(message.from, message);
    case "watch": {
      const { error } = message.state;
      this.watchStates.set(message.path, { ...message.state, error: error && WatchWiseError.from(error) });
      return this.changed_([`doc:${message.path}`]);
    }
    case "looking": return this.needs.look(message.from, message.looking);
    case "gone": return this.needs.forget(message.from);
    case "call": return engine && this.answerCall(message);
    case "answer": return this.calls.get(message.id)?.answer(message);
    }
  }

  async answerCall({ from, id, name, args }) {
    try {
      this.tabs.post({ kind: "answer", to: from, id, value: await this.perform(name, args) });
    } catch (error) {
      this.tabs.post({ kind: "answer", to: from, id, error: plainError(error) });
    }
  }

  /** Does something where the connection is. */
  call(name, ...args) {
    if (this.isClosed) return Promise.reject(new WatchWiseError("closed", "closed", "the library is closed"));
    if (this.engine) return this.perform(name, args);
    return new Promise((resolve, reject) => {
      const id = randomName(6);
      const isRequest = name === "request";
      const limit = isRequest && args[1]?.timeoutMs || CALL_MS;
      const end = ticks() + limit;
      const timer = setTimeout(() => call.answer({ error: { class: "retry", code: "timeout", message: "no tab answers" } }), limit);
      timer.unref?.();
      // What has thrown `timeout` here is not done later by a tab that took over meanwhile.
      const argsNow = () => isRequest ? [args[0], { ...args[1], timeoutMs: Math.max(0, end - ticks()) }] : args;
      const call = {
        answer: ({ value, error }) => {
          clearTimeout(timer);
          this.calls.delete(id);
          if (error) reject(WatchWiseError.from(error));
          else resolve(value);
        },
        // The next leader is asked again: each of these is a question, or does no harm twice.
        again: () => {
          if (!this.engine) return this.tabs.post({ kind: "call", id, name, args: argsNow() });
          this.perform(name, argsNow()).then(value => call.answer({ value }), error => call.answer({ error }));
        },
      };
      this.calls.set(id, call);
      call.again();
      this.tabs.askLeader();
    });
  }

  async perform(name, args) {
    const { engine } = this;
    switch (name) {
    case "request": return engine.request(...args);
    case "tell": return engine.tell(...args);
    case "history": return engine.fetching.history(...args);
    case "control": return this.writes.controlHere(...args);
    }
  }

  // What the engine tells

  state_(state) {
    if (isSame(state, this.leaderState)) return;
    this.leaderState = state;
    this.emit("state", state);
    this.changed_(["state"]);
    if (["closed", "idle", "signed-out", "blocked"].includes(state.name)) return;
    this.needs.sayLooking();
  }

  /** The engine has another state. */
  told(state) {
    this.state_(state);
    if (state.name === "live") {
      this.writing.want();
      this.pushes.live(this.engine).catch(() => {});
    }
    this.tabs.post({ kind: "state", state });
  }

  /** What came together goes to the other tabs together: a message for each would cost more than to store it. */
  events(events) {
    for (const event of events) {
      this.hear(event);
      this.pushes.took(event, this.engine?.cursor).catch(() => {});
    }
    if (events.length) this.tabs.post({ kind: "events", events });
  }

  hear(event) {
    if (event.type === "presence") this.needs.people?.took(event);
    this.emit(event.type, event);
  }

  /** @param {Changes | string[]} about what changed, or names of what did as a whole; all tabs hear of it */
  changed(about) {
    const changes = Changes.of(about);
    if (changes.byName.size === 0) return;
    this.changed_(changes);
    this.tabs?.post({ kind: "changed", ...changes.posted });
  }

  /** Other tabs read the store, which has it only now; this one knew it before. */
  outboxStored() {
    this.tabs?.post({ kind: "changed", names: ["outbox"] });
  }

  async changed_(about) {
    if (this.tabs?.isAway) return;  // all is read again when the page comes back
    const changes = Changes.of(about);
    const has = (...names) => names.some(name => changes.has(name)) || changes.has("everything");
    // First of all: meanwhile no list may show rows that are older than the entries.
    const lists = [...this.lists].filter(list => list.note(changes));
    // A leader's lists hear of it at once: what was stored is missing among its entries from now on.
    if (!this.sending && has("outbox")) await this.readEntries();
    if (has("limits")) this.readLimits();
    if (has("push", "pushKey")) await this.pushes.readRows().catch(error => this.isClosed || this.storeFailed(error));
    for (const list of lists) list.tell();
  }

  /** A tab that follows has the entries of the store. */
  async readEntries() {
    if (this.sending || this.isClosed) return;
    const turn = this.lastTurn = (this.lastTurn ?? 0) + 1;
    const entries = await this.store.range("outbox", {}).catch(() => null);
    // Reads side by side may end in another order than they began.
    if (entries && turn > (this.turnRead ?? 0)) Object.assign(this, { storedEntries: entries, turnRead: turn });
    if (entries?.length) this.writing.want();
  }

  kept(kept) {
    this.handles.kept(kept);
  }

  settled(settled) {
    this.handles.settle(settled);
    this.tabs.post({ kind: "settled", settled });
  }

  moved(key, into) {
    this.handles.move(key, into);
    this.tabs.post({ kind: "moved", key, into });
  }

  refused(refused) {
    this.writes.refused(refused);
  }

  storeEvent(event) {
    // A tab that did not hear that the user has signed out in another one must not go on with what it has read.
    if (event.reason === "deleted" && this.isForgotten) return void this.signedOut();
    this.stored = event;
    this.emit("storage", event);
    if (this.store && !this.isClosed) this.changed_(["everything"]);  // what could not be taken along is gone
    // What this process knows of its writes is kept again, in memory.
    const entries = this.engine?.outbox?.entries ?? this.storedEntries;
    this.store?.write(entries.map(entry => ({ keepEntry: entry }))).catch(() => {});
    if (this.tabs?.channel && event.state !== "failing") this.goAlone().catch(error => this.storeFailed(error));
  }

  /** What is in memory cannot be shared: this tab goes on as a device of its own, and lets the others lead. */
  async goAlone() {
    const engine = this.leading;
    this.leading = this.engine = null;
    this.tabs.close();
    // Its last changes are dropped with its cursor, which has not moved.
    await engine?.stop({ isLost: true });
    await new Promise(resolve => setTimeout(resolve));
    if (this.isClosed) return;
    this.device = `js-${randomName()}`;
    this.tabs = new Tabs({ name: this.name, onLead: () => this.lead(), onLose: () => this.loseLead(), onMessage() {} });
    this.tabs.start();
  }

  /** Returns whether it failed because another tab leads. */
  storeFailed(error) {
    const isLost = error instanceof LeaderLost;
    if (isLost) {
      // Another tab has taken the lock, and this one has not heard of it yet.
      this.tabs.lose();
    } else if (!this.isClosed) this.emit("storage", { state: "failing", reason: error?.name ?? String(error), message: error?.message });
    return isLost;
  }

  // Lists and events

  /** Returns the function that ends it. Its member `more` shows further rows, where there can be any. */
  watch(source, told, { signal, paths = [] } = {}) {
    if (signal?.aborted) return Object.assign(() => {}, { more() {} });
    const list = new LiveList(this, source, told);
    this.lists.add(list);
    const end = source.begin?.();
    if (source.chat) this.needs.sayLooking();
    const unwatch = this.needs.watch(paths);
    const off = () => {
      if (!this.lists.delete(list)) return;
      list.close();
      end?.();
      if (source.chat) this.needs.sayLooking();
      unwatch();
    };
    signal?.addEventListener("abort", off, { once: true });
    return Object.assign(off, { more: (count = PAGE_MORE) => list.more(count) });
  }

  /** What a source could not get is looked for again. */
  tellAgain(source) {
    source.isOther = true;
    for (const list of this.lists) if (list.source === source) list.tell();
  }

  on(type, listener) {
    const listeners = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, listeners.add(listener));
    if (type === "opened") this.pushes.tellOpened();
    // The store may have failed before anybody could listen.
    if (type === "storage" && this.stored) queueMicrotask(() => listener(this.stored));
    return () => listeners.delete(listener);
  }

  emit(type, value) {
    for (const listener of [...this.listeners.get(type) ?? [], ...this.listeners.get("*") ?? []]) callApp(listener, value);
  }

  /** Listens until the library is closed. */
  listen(target, type, body) {
    target.addEventListener(type, body);
    this.unlisten.push(() => target.removeEventListener(type, body));
  }

  /** Without its part there is nothing to trim: the store is as it was at the start, and what has come since. */
  async trim() {
    await this.writing.here?.trim(this);
  }

  /** The documents of these paths are here no longer: who watches them next gets them all. `changes` are all that the store did. */
  trimmed(paths, changes = []) {
    const touched = new Changes();
    for (const change of changes) touched.addChange(change);
    this.changed(touched);
    if (paths.length === 0) return;
    if (this.engine) this.engine.paths?.forget(paths);
    else this.tabs?.post({ kind: "trimmed", paths });
  }

  async readLimits() {
    this.messageBytes = (await this.store.get("meta", "limits").catch(() => null))?.value.messageBytes ?? MESSAGE_BYTES;
  }

  /** Whether the user of this tab has signed out in another one: then who was here last is forgotten. */
  get isForgotten() {
    return this.isRemembered && lastUser.of(this.options.server) === null;
  }

  /** The system says whether there is a network: `online` or `offline`. */
  online(hint) {
    this.engine?.hint(hint);
    if (hint === "online") this.writing.again();
  }

  // The end

  connect() {
    if (this.isClosed) return;
    this.isWanted = true;
    if (this.engine) this.engine.connect();
    else this.tabs?.post({ kind: "connect" });  // it may be this tab in which the user has signed in
  }

  async disconnect() {
    this.isWanted = false;
    await this.engine?.disconnect();
  }

  async close() {
    if (this.isClosed) return;
    const engine = this.leading;
    this.beginEnd();
    await this.writes.ready;
    await Promise.all(this.writes.storing);
    await engine?.stop();
    this.leading = this.engine = null;
    for (const list of this.lists) list.close();
    this.endAll();
    await this.store.close();
    this.state_({ name: "closed" });
  }

  beginEnd() {
    this.isClosed = true;
    clearInterval(this.minuteTimer);
    this.writing.end();
    for (const end of this.unlisten) end();
  }

  endAll() {
    this.lists.clear();
    this.needs.people?.close();
    this.handles.closeAll();
    for (const call of [...this.calls.values()]) call.answer({ error: { class: "closed", code: "closed", message: "the library was closed" } });
    this.tabs.close();
  }

  /** The user has signed out in another tab: this one ends, and shows nothing of that user any more. */
  async signedOut() {
    if (this.isClosed) return;
    const { leading, store } = this;
    lastUser.forget(this.options.server, this.user);  // a browser may tell this tab late what another one has taken from its storage
    this.beginEnd();
    leading?.stop({ isLost: true });
    this.leading = this.engine = null;
    this.store = EMPTY;
    this.storedEntries = [];
    this.watchStates.clear();
    this.state_({ name: "signed-out", reason: "the user has signed out in another tab" });
    await store.close();
    this.needs.people?.forget();
    await this.changed_(["everything", "outbox"]);
    this.endAll();
  }

  async signOut({ force = false } = {}) {
    const count = this.entries.filter(({ state }) => state !== "failed").length || this.writes.storing.size;
    if (count && !force) {
      const message = `${count} writes have not reached the server; signOut({force: true}) gives them up`;
      throw new WatchWiseError("storage", "outbox-not-empty", message);
    }
    const { store } = this;
    await this.pushes.leave();
    lastUser.forget(this.options.server, this.user);
    // Before the store is deleted: the other tabs would go on with what they have.
    this.tabs.post({ kind: "signed-out" });
    if (this.tabs.channel) await new Promise(resolve => setTimeout(resolve, PARTING_MS));
    await this.close();
    await store.destroy();
  }
}
