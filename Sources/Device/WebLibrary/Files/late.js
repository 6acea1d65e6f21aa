import { BUILD } from "./build.js";
import { WatchWiseError } from "./errors.js";
import { parts } from "./loading.js";
import { Backoff } from "./retrying.js";
// Parts that a page needs soon, but not to be shown: they are loaded while somebody looks at it already.

/** How long those who ask for a part wait for one that hangs. It is taken all the same when it comes. */
const PATIENCE_MS = 10_000;

/** A part of the library. What cannot be loaded now, because there is no network, is tried again until it is here. */
export class LatePart {
  /** The module, when it is here. */
  here = null;
  #waits = new Backoff();

  /**
   * @param {string} name of `parts`
   * @param {(part: object) => Promise<void>} arrived called once
   * @param {(error: WatchWiseError) => void} failed called each time that it cannot be loaded
   */
  constructor(name, arrived, failed) {
    Object.assign(this, { name, arrived, failed });
    this.arrival = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    this.arrival.catch(() => {});
  }

  /** Tries to load it, and waits until it works; throws when it cannot be loaded now. */
  load() {
    if (this.begun) return this.begun;
    this.loading ??= new Promise((resolve, reject) => {
      const fail = ({ message }) => reject(new WatchWiseError("retry", "not-loaded", `the part for ${this.name} cannot be loaded: ${message}`));
      const timer = setTimeout(fail, PATIENCE_MS, { message: `nothing came within ${PATIENCE_MS / 1000} s` });
      timer.unref?.();
      parts[this.name]().then(part => this.#take(part)).then(resolve, fail).finally(() => clearTimeout(timer));
    }).finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  /** Loads it in the background, with the waits of connections after what fails. */
  async want() {
    if (this.here || this.isTrying || this.timer || this.isEnded) return;
    this.isTrying = true;
    try {
      await this.load();
    } catch (error) {
      if (this.isEnded) return;
      this.failed(error);
      this.timer = setTimeout(() => this.again(), this.#waits.next(Math.random));
      this.timer.unref?.();
    } finally {
      this.isTrying = false;
    }
  }

  /** The part, when it is here, which may be late; throws when the library is closed before. */
  eventually() {
    if (this.here) return this.here;
    this.want();
    return this.arrival;
  }

  /** Does something of the moment with it, which is left out where it cannot be loaded now. */
  soon(work) {
    if (this.here) return void work(this.here);
    this.want();
    this.loading?.then(work, () => {});
  }

  /** A wait is over, or there may be a network again. */
  again() {
    if (!this.timer) return;
    this.#rest();
    this.want();
  }

  end() {
    this.isEnded = true;
    this.#rest();
    this.reject(new WatchWiseError("closed", "closed", "the library was closed"));
  }

  #rest() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  #take(part) {
    if (this.isEnded) throw new Error("the library is closed");
    if (part.BUILD !== BUILD) throw new Error("it is of another version than watchwise.js; the page has to be loaded again");
    if (this.here) return this.begun;
    this.here = part;
    this.begun = this.arrived(part).then(() => part);
    this.resolve(part);
    return this.begun;
  }
}
