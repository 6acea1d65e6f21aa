// The rest of the pushes to this browser: its subscription, which is the registration of this device, and the notifications on
// the screen. It stands alone: what it shares with the module that loads it, it is given.

const PATIENCE_MS = 15_000;
/** How long a sign-out waits for the server to forget the device. */
const LEAVE_MS = 3000;
/** The cache in which the worker finds what it needs; watchwise-worker.js reads it. */
const NOTES = "watchwise";
/** The counts of which the badge of the application consists, as the setting push-badge of the server names them. */
const BADGES = { chats: ({ chats }) => chats, notifications: ({ notifications }) => notifications, both: ({ chats, notifications }) => chats + notifications };

function decoded(key) {
  return Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
}

/** What a page does about its pushes besides showing their state. */
export class Subscribing {
  /**
   * @param push the `Push` of the session: its rows and its container
   * @param WatchWiseError the class of errors of the module that loads this one
   */
  constructor(push, WatchWiseError) {
    Object.assign(this, { push, core: push.core, container: push.container, WatchWiseError });
  }

  // What the person decides

  /** The person has agreed. */
  async enable({ registration, worker, scope, open = location.href.split("#")[0], privacy, badge, tokenUrl } = {}) {
    const { core, container, WatchWiseError } = this;
    if (badge !== undefined && !Object.hasOwn(BADGES, badge)) {
      const message = `badge must be one of ${Object.keys(BADGES).join(", ")}, as the server's setting push-badge`;
      throw new WatchWiseError("permanent", "bad-request", message, { field: "badge" });
    }
    const key = await this.serverKey();
    globalThis.navigator.storage?.persist?.().catch(() => {});
    const address = worker ? new URL(worker, location.href) : new URL("./watchwise-worker.js", import.meta.url);
    // In the worker's own folder, where no page is: an application may have a worker of its own for its pages.
    const range = scope ?? new URL(`./?${new URLSearchParams({ user: core.user })}`, address).href;
    const isOwn = !registration;
    registration ??= await container.register(address, { scope: range, updateViaCache: "none" });
    try {
      await this.bounded(activated(registration), "the worker");
      await this.register(registration, { key, open, privacy, isOwn, badge, tokenUrl: tokenUrl && new URL(tokenUrl, location.href).href });
    } catch (error) {
      if (isOwn && !this.push.isOn) await registration.unregister();  // the next click makes another
      throw error instanceof WatchWiseError ? error : this.unavailable(`the browser cannot subscribe: ${error.message}`);
    }
  }

  async disable() {
    const { row } = this.push;
    const registration = await this.registration();
    if (row?.scope) await this.note(row.scope, {});
    // Told at the next connect, if it cannot be told now.
    await this.push.keep({ isOff: true });
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
    if (row?.isOwn) await registration?.unregister();
    await this.remove().catch(() => {});
  }

  /** Before a sign-out: what is on the screen of a device is not for whoever has it next. Returns whether nothing can ring any more. */
  async leave() {
    const registration = await this.registration().catch(() => null);
    await closeShown(registration, ww => ww !== undefined).catch(() => {});
    await globalThis.navigator.clearAppBadge?.().catch(() => {});
    await this.bounded(this.disable(), "the server", LEAVE_MS).catch(() => {});
    return !await registration?.pushManager.getSubscription().catch(() => null);
  }

  /** Ends what a sign-out could not end. */
  async finish({ scope, isOwn }) {
    const registration = (await this.container.getRegistrations()).find(other => other.scope === scope);
    const subscription = await registration?.pushManager.getSubscription();
    if (subscription && !await subscription.unsubscribe()) throw this.unavailable("the subscription goes on");
    await closeShown(registration, ww => ww !== undefined);
    if (isOwn) await registration?.unregister();
  }

  /** The public key of the server's pushes; waits for the first connection. */
  async serverKey() {
    const { core } = this;
    if (!this.push.key && core.state.name !== "live") {
      let off;
      await this.bounded(new Promise(resolve => (off = core.on("state", ({ name }) => name === "live" && resolve()))), "the server").finally(off);
      await this.push.readRows();
    }
    if (!this.push.key) throw this.unavailable("the server sends no pushes to browsers: its setting push-contact is missing");
    return this.push.key;
  }

  unavailable(message) {
    return new this.WatchWiseError("retry", "push-unavailable", message);
  }

  /** A browser waits for its push service for ever where that is out of reach. */
  bounded(promise, what, ms = PATIENCE_MS) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(this.unavailable(`${what} did not answer within ${ms / 1000} s`)), ms);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }

  // The subscription

  async registration() {
    const { scope } = this.push.row ?? {};
    return scope && (await this.container.getRegistrations()).find(registration => registration.scope === scope);
  }

  /** Subscribes with the server's key, tells the server, and keeps what was told. */
  async register(registration, { key, open, privacy, isOwn, badge, tokenUrl }) {
    const manager = registration.pushManager;
    let subscription = await manager.getSubscription();
    // A subscription is for one key: a new server has another.
    if (subscription && `${new Uint8Array(subscription.options.applicationServerKey ?? [])}` !== `${decoded(key)}`) {
      await subscription.unsubscribe();
      subscription = null;
    }
    subscription ??= await this.bounded(manager.subscribe({ userVisibleOnly: true, applicationServerKey: decoded(key) }), "the browser's push service");
    const { endpoint, keys } = subscription.toJSON();
    await this.core.call("request", { type: "device", platform: "webpush", subscription: { endpoint, keys }, open, ...(privacy && { privacy }) });
    await this.push.keep({ scope: registration.scope, endpoint, key, open, privacy, isOwn, badge, tokenUrl, device: this.core.device });
    await this.note(registration.scope, { tokenUrl, key, open, privacy });
  }

  /** What the worker needs to register another subscription while no page is open. */
  async note(scope, { tokenUrl, ...more }) {
    const { user, device, options: { server } } = this.core;
    try {
      const notes = await caches.open(NOTES);
      if (tokenUrl) await notes.put(scope, new Response(JSON.stringify({ server, user, device, tokenUrl, ...more })));
      else await notes.delete(scope);
    } catch { /* where a browser has no room for it, the next page registers it */ }
  }

  async remove() {
    await this.core.call("request", { type: "device", remove: true });
    await this.push.keep(null);
  }

  /** The leader is in step with the server. */
  async live(engine) {
    await this.sweep(engine.cursor);
    if (this.compared === engine) return;
    this.compared = engine;
    await this.compare();
  }

  /** At each start of a leader's session: the server and the browser have what was registered, or get it. */
  async compare(isRenewed = false) {
    const { core, push: { row } } = this;
    if (!row || this.isComparing) return;
    this.isComparing = true;
    try {
      if (row.isOff) return await this.remove();
      const registration = await this.registration();
      if (!registration || Notification.permission !== "granted") {
        await this.push.keep({ isOff: true });
        return await this.remove();
      }
      const subscription = await registration.pushManager.getSubscription();
      const isSame = !isRenewed && subscription?.endpoint === row.endpoint && this.push.key === row.key && core.device === row.device;
      const isThere = isSame && (await core.call("request", { type: "devices" })).devices
        .some(({ device, platform }) => device === core.device && platform === "webpush");
      if (!isThere && this.push.key) await this.register(registration, { ...row, key: this.push.key });
    } catch { /* the next session compares again */ } finally {
      this.isComparing = false;
    }
  }

  // The screen

  /** Closes the notifications on the screen for which this is true. */
  async close(isOver) {
    if (this.push.isOn) await closeShown(await this.registration(), (ww = {}) => isOver(ww));
  }

  /** The badge falls with the counts, and not only with the next push. */
  async showBadge(unread) {
    const count = BADGES[this.push.row.badge ?? "both"](unread);
    const { navigator } = globalThis;
    await (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())?.catch(() => {});
  }

  /** An event of the server, which is in the store now, shows that something was seen. */
  async took({ type, id, ids, upTo, chat, user, n, chats, notifications }, cursor) {
    if (!this.push.isOn) return undefined;
    switch (type) {
    case "notification.removed": return this.close(ww => ww.id === id);
    case "notification.seen": return this.close(ww => ids ? ids.includes(ww.id) : isInbox(ww) && ww.seq <= upTo);
    case "read": return user === this.core.user && this.close(ww => ww.chat === chat && ww.n <= n);
    case "unread":
      await this.showBadge({ chats, notifications });
      // A push may hide its chat; then only the counts tell.
      return (!chats || !notifications) && this.close(ww => isWithin(ww, cursor) && !(isInbox(ww) ? notifications : chats));
    }
  }

  /** The store is in step with the server: closes all that is not to be seen any more. */
  async sweep(cursor) {
    if (!this.push.isOn) return;
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

/** Closes the notifications of a registration for which this is true of what the server has said of them. */
async function closeShown(registration, isOver) {
  for (const shown of await registration?.getNotifications?.() ?? []) if (isOver(shown.data?.ww)) shown.close();
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
