// The documents and collections that a connection watches: one watch of a path serves all lists of all tabs.

/** The server's bound of watches for one connection. */
const WATCHES_MAX = 100;
/** How long a watch waits that was refused for now. */
const AGAIN_MS = 1000;

/** The watched paths of an engine. */
export class WatchedPaths {
  /** @param WatchWiseError the class of errors of the module that loads this one */
  constructor(engine, WatchWiseError) {
    Object.assign(this, { engine, WatchWiseError });
    this.watches = new Map();  // by path: {path, epoch, seq, usedAt, isActive, isWanted, error}
  }

  /** Reads what the store has; none of it is active, for the engine has seen to that before it connected. */
  async load() {
    for (const watch of await this.engine.store.range("watches", {})) this.watches.set(watch.path, watch);
  }

  /** Whether one more path can be watched on this connection. */
  get hasRoom() {
    const { attempt } = this.engine;
    return [...this.watches.values()].filter(watch => watch.isActive || watch.begun === attempt).length < WATCHES_MAX;
  }

  /** Paths that found no room get it when others have ended. */
  fill() {
    if (!this.engine.isLive) return;
    for (const watch of this.watches.values()) {
      if (watch.isWanted && !watch.isActive && watch.error?.code === "too-many" && this.hasRoom) this.begin(watch);
    }
  }

  /** The paths that the tabs watch now. One watch is shared by all who want it. */
  want() {
    const all = this.engine.wantedPaths;
    for (const path of all) {
      const watch = this.watches.get(path) ?? { path, isActive: false };
      this.watches.set(path, watch);
      watch.usedAt = Date.now();
      if (watch.isWanted) continue;
      watch.isWanted = true;
      if (this.engine.isLive) this.begin(watch);
    }
    for (const watch of this.watches.values()) {
      if (!watch.isWanted || all.has(watch.path)) continue;
      watch.isWanted = false;
      if (watch.isActive) this.end(watch);
    }
    this.fill();
  }

  /** The documents of these paths are not in the store any more: what was known of them is no place to go on from. */
  forget(paths) {
    for (const path of paths) {
      const watch = this.watches.get(path);
      if (!watch?.isWanted) this.watches.delete(path);
      else {
        Object.assign(watch, { epoch: undefined, seq: undefined, isActive: false, begun: null });
        if (this.engine.isLive) this.begin(watch);
      }
    }
  }

  /** Nobody wants it any more: what the store has of it becomes old. */
  end(watch) {
    this.rest(watch);
    this.tell(watch);
    this.#write([watch]);
    this.engine.tell({ type: "unwatch", path: watch.path });
  }

  /** Watches belong to a connection. */
  async watchAgain() {
    await Promise.all([...this.watches.values()].filter(watch => watch.isWanted && !watch.isActive).map(watch => this.begin(watch)));
  }

  disconnected() {
    const active = [...this.watches.values()].filter(watch => watch.isActive);
    for (const watch of active) {
      this.rest(watch);
      this.tell(watch);
    }
    if (active.length) this.#write(active);
  }

  unwatched({ path, reason }) {
    const watch = this.watches.get(path);
    if (!watch) return;
    this.rest(watch);
    if (reason === "unavailable" && watch.isWanted) return void this.begin(watch);
    watch.error = new this.WatchWiseError("permanent", reason, `${path} may not be watched any more`);
    this.tell(watch);
  }

  /** From now on only its own position tells what it has. */
  rest(watch) {
    const { cursor } = this.engine;
    if (watch.isActive && cursor && !(watch.epoch === cursor.epoch && watch.seq > cursor.seq)) Object.assign(watch, cursor);
    watch.isActive = false;
  }

  async begin(watch) {
    const { engine } = this;
    const { path, epoch, seq } = watch;
    const { attempt } = engine;
    if (watch.begun === attempt) return;
    if (!this.hasRoom) watch.error = new this.WatchWiseError("limit", "too-many", `more than ${WATCHES_MAX} paths are watched`);
    else try {
      Object.assign(watch, { begun: attempt, error: null });
      const documents = [];
      const take = fetched => {
        documents.push(...fetched);
        for (const { path, version, seq, data } of fetched) engine.batch.add({ type: "document", path, version, seq, data, isFetched: true });
      };
      const options = { persistence: "once", atOnce: ok => take(ok.documents) };
      let reply = await engine.request({ type: "watch", path, ...(epoch && { since: { epoch, seq } }) }, options);
      const isWhole = !epoch || reply.reset !== undefined;
      while (reply.next) reply = await engine.request({ type: "watch", path, after: reply.next }, options);
      if (isWhole) take(await this.goneFrom(path, documents, reply.seq));
      Object.assign(watch, { epoch: engine.hello.epoch, seq: reply.seq, isActive: true });
      engine.batch.add({ changes: [this.row(watch)] });
      await engine.batch.stored();
      if (!watch.isWanted) this.end(watch);
    } catch (error) {
      // What was lost with its connection is asked for again with the next one; while it stands, after a while.
      if (error.kind === "permanent") watch.error = error;
      else setTimeout(() => watch.isWanted && !watch.isActive && engine.isLive && this.begin(watch), (error.retryAfterMs ?? 0) + AGAIN_MS).unref?.();
    } finally {
      if (watch.begun === attempt) watch.begun = null;
      if (watch.error?.kind === "permanent") this.fill();
    }
    this.tell(watch);
  }

  /** Tells how it stands with a watch: in this tab and in others. */
  tell({ path, isActive, error }) {
    this.engine.owner.watchTold(path, { complete: isActive, error: error ?? null });
  }

  /** The documents of a path that are here, and no longer there. */
  async goneFrom(path, documents, seq) {
    const there = new Set(documents.map(document => document.path));
    const here = [...await this.engine.store.range("documents", { index: "collection", is: path }), await this.engine.store.get("documents", path)];
    return here.filter(row => row && !there.has(row.path)).map(row => ({ path: row.path, version: 0, seq, data: null }));
  }

  row({ path, epoch, seq, usedAt, isActive }) {
    return { put: ["watches", { path, epoch, seq, usedAt: usedAt ?? 0, isActive }] };
  }

  async #write(watches) {
    const { store, leader, owner, isLost } = this.engine;
    if (isLost) return;
    await store.write(watches.map(watch => this.row(watch)), { leader }).catch(error => owner.storeFailed(error));
  }
}
