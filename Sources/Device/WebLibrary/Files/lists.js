import { callApp } from "./errors.js";
// Lists that live: told from the store at once, then whenever something of theirs changes, as differences.

/** A frame of the screen: what an app draws more often than that, nobody sees. */
const FRAME_MS = 16;

/** Does something at once, and what is asked for within a frame after that once, when the frame is over. */
export class Pace {
  /** @param {() => any} work another turn waits until it, and its promise, are over */
  constructor(work) {
    Object.assign(this, { work, last: -FRAME_MS, timer: null, isRunning: false, isAsked: false, isEnded: false });
  }

  ask() {
    this.isAsked = true;
    if (this.isRunning || this.timer || this.isEnded) return;
    const wait = this.last + FRAME_MS - performance.now();
    // A page that nobody sees draws no frames, and its timers may wait for a minute.
    if (wait <= 0 || globalThis.document?.visibilityState === "hidden") return void this.run();
    this.timer = setTimeout(() => {
      this.timer = null;
      this.run();
    }, wait);
  }

  async run() {
    if (this.isEnded) return;
    this.isAsked = false;
    this.isRunning = true;
    try {
      await this.work();
    } finally {
      this.isRunning = false;
      this.last = performance.now();
      if (this.isAsked) this.ask();
    }
  }

  end() {
    this.isEnded = true;
    clearTimeout(this.timer);
  }
}

/** What one caller watches. */
export class LiveList {
  /**
   * @param {object} core
   * @param {object} source one of sources.js: what is read, and what is shown of it
   * @param {(snapshot: object) => void} told
   */
  constructor(core, source, told) {
    Object.assign(this, { core, source, told, isClosed: false, about: null });
    this.pace = new Pace(() => this.refresh());
    this.pace.ask();
  }

  /** Notes what changed, before anything is read: returns whether the list may show something else now. */
  note(changes) {
    return this.source.note(changes) || changes.has("outbox") || changes.has("state");
  }

  tell() {
    this.pace.ask();
  }

  /** Shows more rows. */
  more(count) {
    if (this.isClosed || !this.source.grow) return;
    this.source.grow(count);
    this.tell();
  }

  close() {
    this.isClosed = true;
    this.pace.end();
  }

  async refresh() {
    try {
      // A write whose event was stored meanwhile would be missing in both, rows and entries.
      while (!this.isClosed && (this.source.isStale || this.source.lacks?.(this.core.entries))) await this.source.read();
      if (!this.isClosed) this.show(this.core.entries);
    } catch (error) {
      if (!this.isClosed) this.core.storeFailed(error);  // the next change reads again
    }
  }

  show(entries) {
    const { items, changes, complete = true, error = null, hasMore = false } = this.source.show(entries);
    const isLive = this.core.state.name === "live";
    const about = { fromCache: !isLive, complete: isLive && complete && error === null, hasMore, ...(error && { error }) };
    const before = this.about;
    if (!before) this.core.writing.want();  // there is something to look at while it is loaded
    const isNews = !before || changes.length > 0 || ["error", "fromCache", "complete", "hasMore"].some(name => about[name] !== before[name]);
    if (!isNews) return;
    this.about = about;
    callApp(this.told, { items, changes, ...about, ...(this.source.isSingle && { value: items[0] ?? null }) });
  }
}
