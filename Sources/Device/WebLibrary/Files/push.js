import { WatchWiseError } from "./errors.js";
// Pushes to this browser: its subscription, which is the registration of this device, and what stands on the screen.

const PATIENCE_MS = 15_000;
/** How long a sign-out waits for the server to forget the device. */
const LEAVE_MS = 3000;
const ROW = "push";
const WORKER = "watchwise-worker.js";

function unavailable(message) {
  return new WatchWiseError("retry", "push-unavailable", message);
}

/** A browser waits for its push service for ever where that is out of reach. */
function bounded(promise, what, ms = PATIENCE_MS) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(unavailable(`${what} did not answer within ${ms / 1000} s`)), ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function decoded(key) {
  return Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
}

/** The pushes of one session. What is wanted stands in `meta`: `{scope, endpoint, key, open, privacy, isOwn}`, or `{isOff: true}`. */
export class Push {
  constructor(core) {
    this.core = core;
    this.row = null;
    this.isOn = false;
    this.key = null;
    this.container = globalThis.document && globalThis.PushManager && globalThis.Notification ? globalThis.navigator?.serviceWorker : undefined;
  }

  /** `on`, `off`, `denied` (by the person), `unavailable` (the server sends none), `unsupported` (by the browser). */
  get state() {
    if (!this.container) return "unsupported";
    if (globalThis.Notification.permission === "denied") return "denied";
    return this.isOn ? "on" : this.key ? "off" : "unavailable";
  }

  async start() {
    if (!this.container) return;
    this.core.listen(this.container, "message", event => this.hear(event));
    this.core.listen(globalThis.window, "hashchange", () => this.core.listeners.has("opened") && this.tellOpened());
    await this.readRows();
  }

  async readRows() {
    const [row, key] = await Promise.all([ROW, "pushKey"].map(name => this.core.store.get("meta", name)));
    this.row = row?.value ?? null;
    this.key = key?.value ?? null;
    this.isOn = Boolean(this.row?.endpoint);
    this.tell();
  }

  async keep(row) {
    await this.core.store.write([row ? { put: ["meta", { name: ROW, value: row }] } : { delete: ["meta", ROW] }]);
    this.core.changed([ROW]);
    await this.readRows();
  }

  tell() {
    const { state } = this;
    if (state === this.told) return;
    this.told = state;
    this.core.emit("push", state);
  }

  /** Whether a word of a worker is for this session. */
  hear({ data, ports }) {
    if (!data?.watchwise || data.scope !== this.row?.scope) return;
    if (data.watchwise === "whose") ports[0].postMessage(true);
    else if (data.watchwise === "opened") this.core.emit("opened", placeOf(data.place));
    else if (this.core.engine) this.compare(true);
  }

  // What the person decides

  /** In a click: a browser asks for the permission only then. */
  async enable({ registration, worker, scope, open = location.href.split("#")[0], privacy } = {}) {
    const { core, container } = this;
    if (!container) throw new WatchWiseError("permanent", "push-unsupported", "this browser has no pushes here: they need https or localhost");
    if (await Notification.requestPermission() !== "granted") {
      this.tell();
      throw new WatchWiseError("permanent", "push-denied", "the person, or the browser, refuses notifications of this page");
    }
    const key = await this.serverKey();
    globalThis.navigator.storage?.persist?.().catch(() => {});
    const address = new URL(worker ?? WORKER, worker ? location.href : import.meta.url);
    // In the worker's own folder, where no page is: an application may have a worker of its own for its pages.
    const range = scope ?? new URL(`./?${new URLSearchParams({ user: core.user })}`, address).href;
    const isOwn = !registration;
    registration ??= await container.register(address, { scope: range, updateViaCache: "none" });
    try {
      await bounded(activated(registration), "the worker");
      await this.register(registration, { key, open, privacy, isOwn });
    } catch (error) {
      if (isOwn && !this.isOn) await registration.unregister();  // the next click makes another
      throw error instanceof WatchWiseError ? error : unavailable(`the browser cannot subscribe: ${error.message}`);
    }
  }

  async disable() {
    const { row } = this;
    const registration = await this.registration();
    // Told at the next connect, if it cannot be told now.
    await this.keep({ isOff: true });
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
    if (row?.isOwn) await registration?.unregister();
    await this.remove().catch(() => {});
  }

  /** Before a sign-out: nothing may ring for somebody who has left. */
  async leave() {
    if (this.row) await bounded(this.disable(), "the server", LEAVE_MS).catch(() => {});
  }

  /** The public key of the server's pushes; waits for the first connection. */
  async serverKey() {
    const { core } = this;
    if (!this.key && core.state.name !== "live") {
      let off;
      await bounded(new Promise(resolve => (off = core.on("state", ({ name }) => name === "live" && resolve()))), "the server").finally(off);
      await this.readRows();
    }
    if (!this.key) throw unavailable("the server sends no pushes to browsers: its setting push-contact is missing");
    return this.key;
  }

  // The subscription

  async registration() {
    const { scope } = this.row ?? {};
    return scope && (await this.container.getRegistrations()).find(registration => registration.scope === scope);
  }

  /** Subscribes with the server's key, tells the server, and keeps what was told. */
  async register(registration, { key, open, privacy, isOwn }) {
    const manager = registration.pushManager;
    let subscription = await manager.getSubscription();
    // A subscription is for one key: a new server has another.
    if (subscription && `${new Uint8Array(subscription.options.applicationServerKey ?? [])}` !== `${decoded(key)}`) {
      await subscription.unsubscribe();
      subscription = null;
    }
    subscription ??= await bounded(manager.subscribe({ userVisibleOnly: true, applicationServerKey: decoded(key) }), "the browser's push service");
    const { endpoint, keys } = subscription.toJSON();
    await this.core.call("request", { type: "device", platform: "webpush", subscription: { endpoint, keys }, open, ...(privacy && { privacy }) });
    await this.keep({ scope: registration.scope, endpoint, key, open, privacy, isOwn, device: this.core.device });
  }

  async remove() {
    await this.core.call("request", { type: "device", remove: true });
    await this.keep(null);
  }

  /** The changes that the answer to `hello` makes: it names the key. */
  welcomed(key = null) {
    return this.container && key !== this.key ? [{ put: ["meta", { name: "pushKey", value: key }] }] : [];
  }

  /** The leader is in step with the server. */
  async live(engine) {
    await this.sweep(engine.cursor);
    if (this.compared === engine) return;
    this.compared = engine;
    await this.compare();
  }

  /** Tells a new listener, once, of the click that has opened this page. */
  tellOpened() {
    const place = placeOf(globalThis.location?.hash.slice(1) ?? "");
    if (!place) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    queueMicrotask(() => this.core.emit("opened", place));
  }

  /** At each start of a leader's session: the server and the browser have what was registered, or get it. */
  async compare(isRenewed = false) {
    const { core, row } = this;
    if (!row || this.isComparing) return;
    this.isComparing = true;
    try {
      if (row.isOff) return await this.remove();
      const registration = await this.registration();
      if (!registration || Notification.permission !== "granted") {
        await this.keep({ isOff: true });
        return await this.remove();
      }
      const subscription = await registration.pushManager.getSubscription();
      const isSame = !isRenewed && subscription?.endpoint === row.endpoint && this.key === row.key && core.device === row.device;
      const isThere = isSame && (await core.call("request", { type: "devices" })).devices
        .some(({ device, platform }) => device === core.device && platform === "webpush");
      if (!isThere && this.key) await this.register(registration, { ...row, key: this.key });
    } catch { /* the next session compares again */ } finally {
      this.isComparing = false;
    }
  }

  // The screen

  /** Closes the notifications on the screen for which this is true. */
  async close(isOver) {
    const registration = this.isOn && await this.registration();
    for (const shown of await registration?.getNotifications?.() ?? []) if (isOver(shown.data?.ww ?? {})) shown.close();
  }

  /** An event of the server, which is in the store now, shows that something was seen. */
  async took({ type, id, ids, upTo, chat, user, n, chats, notifications }, cursor) {
    if (!this.isOn) return undefined;
    switch (type) {
    case "notification.removed": return this.close(ww => ww.id === id);
    case "notification.seen": return this.close(ww => ids ? ids.includes(ww.id) : isInbox(ww) && ww.seq <= upTo);
    case "read": return user === this.core.user && this.close(ww => ww.chat === chat && ww.n <= n);
    case "unread":
      if (!chats && !notifications) globalThis.navigator.clearAppBadge?.().catch(() => {});
      // A push may hide its chat; then only the counts tell.
      return (!chats || !notifications) && this.close(ww => isWithin(ww, cursor) && !(isInbox(ww) ? notifications : chats));
    }
  }

  /** The store is in step with the server: closes all that is not to be seen any more. */
  async sweep(cursor) {
    if (!this.isOn) return;
    const { store } = this.core;
    const [seenUpTo, unread] = await Promise.all(["seenUpTo", "unread"].map(async name => (await store.get("meta", name))?.value));
    const shown = await (await this.registration())?.getNotifications?.() ?? [];
    for (const one of shown) {
      const ww = one.data?.ww ?? {};
      if (!isWithin(ww, cursor)) continue;
      const row = isInbox(ww) ? await store.get("inbox", ww.id) : await store.get("chats", ww.chat ?? "");
      const isSeen = isInbox(ww) ? !row || row.seen || row.seq <= (seenUpTo ?? 0) : row ? row.read >= ww.n : unread?.chats === 0;
      if (isSeen) one.close();
    }
  }
}

/** Whether a push is about an entry of the inbox; else it is about a message. */
function isInbox({ id }) {
  return `${id}`.startsWith("n");
}

/** Whether the store knows the entry that a push is about. */
function isWithin(ww, cursor) {
  return cursor && ww.epoch === cursor.epoch && ww.seq <= cursor.seq;
}

/** Resolves when a registration's worker can take events. */
async function activated(registration) {
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  while (worker.state !== "activated") {
    if (worker.state === "redundant") throw new Error("the browser has ended the new worker");
    await new Promise(resolve => worker.addEventListener("statechange", resolve, { once: true }));
  }
}

/** What a click on a notification leads to, as a fragment of an address names it: `{id, chat?, n?}`. */
export function placeOf(fragment) {
  const place = new URLSearchParams(fragment);
  const [id, chat, n] = ["ww", "chat", "n"].map(name => place.get(name) ?? undefined);
  return id || chat ? { id, ...(chat && { chat }), ...(n && { n: Number(n) }) } : null;
}
