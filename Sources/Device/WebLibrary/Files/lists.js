import { OVERLAYS, differences } from "./overlay.js";
import { callApp } from "./errors.js";
import { isSame } from "./patches.js";
// Lists that live: told from the store at once, then whenever something of theirs changes, as differences.

/** What one caller watches. */
export class LiveList {
  /**
   * @param {object} core
   * @param {{kind: string, load: () => Promise<{rows: any, context?: object, complete?: boolean, error?: Error}>,
   *   touches: (name: string) => boolean, begin?: () => () => void}} source `touches` says whether a change of that name
   *   concerns its rows; what `begin` returns is called at the end
   * @param {(snapshot: object) => void} told
   */
  constructor(core, source, told) {
    Object.assign(this, { core, source, told, items: [], isStale: true, isClosed: false, about: null });
    this.refresh();
  }

  /** Something changed: rows are read again only if they may be others. */
  changed(names) {
    if (names.some(name => name === "everything" || this.source.touches(name))) this.isStale = true;
    else if (!names.includes("outbox") && !names.includes("state")) return;
    this.refresh();
  }

  close() {
    this.isClosed = true;
  }

  async refresh() {
    if (this.isRunning) return void (this.isWanted = true);
    this.isRunning = true;
    try {
      do {
        this.isWanted = false;
        if (this.isStale) {
          this.isStale = false;
          this.loaded = await this.source.load();
        }
        // A write whose event was stored meanwhile would be missing in both, rows and entries.
        if (!this.isClosed && !this.isStale) this.show(this.core.entries);
      } while (!this.isClosed && (this.isWanted || this.isStale));
    } catch (error) {
      this.isStale = true;  // the next change reads again
      if (!this.isClosed) this.core.storeFailed(error);
    } finally {
      this.isRunning = false;
    }
  }

  show(entries) {
    const { rows, context = {}, complete = true, error = null } = this.loaded;
    const { user } = this.core;
    const made = OVERLAYS[this.source.kind](rows, entries, { user, ...context });
    const items = Array.isArray(made) ? made : [made];
    const changes = Array.isArray(made) ? differences(this.items, items, user)
      : isSame(items, this.items) ? [] : [{ kind: "change", index: 0, item: made }];
    const isLive = this.core.state.name === "live";
    const about = { fromCache: !isLive, complete: isLive && complete && error === null, ...(error && { error }) };
    const isNews = !this.about || changes.length > 0 || about.error !== this.about.error
      || about.fromCache !== this.about.fromCache || about.complete !== this.about.complete;
    if (!isNews) return;
    Object.assign(this, { items, about });
    callApp(this.told, { items, changes, ...about, ...(this.source.isSingle && { value: items[0] ?? null }) });
  }
}
