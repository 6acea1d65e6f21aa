// Watches where WebSocket is blocked. The request for a stream names the paths that it watches, so another path is another
// request, which goes on where the one before was. To the session it looks as it does over a WebSocket.

/** The server's bound for one stream. */
const PATHS_MAX = 100;
/** So long may the paths be together: the server takes addresses of 8,000 bytes. */
const PATHS_BYTES_MAX = 7000;
/** What lists ask for at about the same time goes into one request. */
const GATHER_MS = 20;
/** So far apart are requests at least, however often an application watches something else. */
const REQUESTS_APART_MS = 500;
/** How far apart paths are asked for that were refused together. */
const APART_MS = 1000;
/** The characters of paths; none of them has to be escaped in an address. */
const PATH = /^[\w.@:~-]+(\/[\w.@:~-]+)*$/;
/** Classes of the codes with which the server ends a watch; all others are permanent. */
const PASSING = { unavailable: "retry", timeout: "retry", internal: "retry", "rate-limited": "limit", "too-many": "limit" };

/** The watched paths of one connection. */
export class StreamWatches {
  /**
   * @param {(message: object) => void} take takes replies and events, as the session has them
   * @param {() => void} again makes another request
   */
  constructor(take, again) {
    Object.assign(this, { take, again });
    /** `id` of the command that waits for a page; `pages` that wait for a command; `isNew` until the first page was taken. */
    this.byPath = new Map();
    this.requestedAt = -Infinity;
  }

  /** What a request says about them. */
  get query() {
    return this.byPath.size ? `&watch=${[...this.byPath.keys()].join(",")}` : "";
  }

  /** A request is made: each watch begins from its first page. */
  begin() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.byPath.size) this.requestedAt = performance.now();
    for (const watch of this.byPath.values()) {
      // One that has only some of its pages has to ask for the first one again.
      if (watch.id !== null && !watch.isNew) this.refuse(watch.id, "unavailable", "another path is watched, too");
      Object.assign(watch, { pages: [], isNew: true, id: watch.isNew ? watch.id : null });
    }
  }

  close() {
    clearTimeout(this.timer);
  }

  /** The command `watch`. */
  watch({ id, path, since, after }) {
    const known = this.byPath.get(path);
    if (known && (after !== undefined || known.isNew)) {
      Object.assign(known, { id, since });
      return this.answer(known);
    }
    const paths = new Set(this.byPath.keys()).add(`${path}`);
    if (!PATH.test(path)) return this.refuse(id, "bad-request", `${path} is no path of a document or a collection`);
    if (paths.size > PATHS_MAX) return this.refuse(id, "too-many", `at most ${PATHS_MAX} watches`);
    if ([...paths].join().length > PATHS_BYTES_MAX) return this.refuse(id, "too-large", "the watched paths are too long for a stream");
    this.byPath.set(path, { path, id, since, pages: [], isNew: true, wasThere: false });
    this.timer ??= setTimeout(this.again, Math.max(GATHER_MS, this.requestedAt + REQUESTS_APART_MS - performance.now()));
    return undefined;
  }

  /** The command `unwatch`: the path is not named in the next request. */
  unwatch({ id, path }) {
    this.byPath.delete(path);
    queueMicrotask(() => this.take({ re: id, ok: { path } }));
  }

  /** The event `documents`, a page of what a watch begins with. */
  page(page) {
    const watch = this.byPath.get(page.path);
    if (!watch) return;
    watch.pages.push(page);
    // A watch that went on through another request: what was deleted meanwhile is found out as in a new watch.
    if (watch.isNew && watch.id === null) this.take({ type: "unwatched", path: page.path, reason: "unavailable" });
    this.answer(watch);
  }

  /** Answers a watch when it waits for a page and the page is there. */
  answer(watch) {
    const { id, since, isNew, pages } = watch;
    if (id === null || pages.length === 0) return;
    const { type, ...ok } = pages.shift();
    Object.assign(watch, { id: null, isNew: false, wasThere: true });
    // A stream has everything and not only what has changed since.
    this.take({ re: id, ok: { ...ok, ...(isNew && since && { reset: "stream" }) } });
  }

  /** The event `unwatched`: the server refuses a watch, or ends it. */
  ended(event) {
    const { path, reason } = event;
    const id = this.byPath.get(path)?.id ?? null;
    this.byPath.delete(path);
    if (id === null) this.take(event);
    else this.refuse(id, reason, `${path} cannot be watched`);
  }

  /** The server refused a request for its paths. Returns whether another one, without the new ones, is worth it. */
  refused({ code, message }) {
    const fresh = [...this.byPath.values()].filter(({ wasThere }) => !wasThere);
    for (const [index, { path, id }] of fresh.entries()) {
      this.byPath.delete(path);
      // Of several it does not say which one is wrong: they are asked for once more, each in a request of its own.
      if (fresh.length === 1) this.refuse(id, code, message);
      else this.refuse(id, "unavailable", message, index * APART_MS);
    }
    return fresh.length > 0;
  }

  refuse(id, code, message, retryAfterMs) {
    const error = { code, class: PASSING[code] ?? "permanent", message, ...(retryAfterMs && { retryAfterMs }) };
    queueMicrotask(() => this.take({ re: id, error }));
  }
}
