// A page for Node, which has neither tabs nor a store that they share: a document, Web Locks, a storage of the page, and a
// database whose transactions take a moment. The channel between tabs is Node's own.
import { MemoryStore } from "../../Sources/Device/WebLibrary/Files/store-memory.js";

const target = () => ({ addEventListener() {}, removeEventListener() {} });

/** Makes this process a page until the returned function is called; `stored` is what its storage has. */
export function becomePage(stored = new Map()) {
  const localStorage = { getItem: name => stored.get(name) ?? null, setItem: (name, value) => void stored.set(name, value), removeItem: name => void stored.delete(name) };
  const before = ["document", "window", "localStorage"].map(name => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  const given = { document: { ...target(), visibilityState: "visible", hasFocus: () => true }, window: target(), localStorage };
  for (const [name, value] of Object.entries(given)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else delete globalThis[name];
    }
  };
}

/** Web Locks of one name. `lateMs`: how long a tab does not hear that its lock was taken, because it has much to do. */
export class Locks {
  holder = null;
  queue = [];
  lateMs = 0;

  request(_, { signal, steal }, work) {
    return new Promise((resolve, reject) => {
      const asked = { resolve, reject, work };
      const abort = () => reject(new DOMException("aborted", "AbortError"));
      signal?.addEventListener("abort", () => {
        if (!this.queue.includes(asked)) return;
        this.queue.splice(this.queue.indexOf(asked), 1);
        abort();
      });
      const { holder } = this;
      if (holder && !steal) return void this.queue.push(asked);
      if (holder) setTimeout(() => holder.reject(new DOMException("stolen", "AbortError")), this.lateMs);
      this.grant(asked);
    });
  }

  async grant(asked) {
    this.holder = asked;
    await null;
    asked.resolve(await asked.work({}));
    if (this.holder !== asked) return;
    this.holder = null;
    const next = this.queue.shift();
    if (next) this.grant(next);
  }
}

/** A database that several tabs open. Transactions come one after the other. */
export class SharedDatabase {
  memory = new MemoryStore();
  ready = this.memory.open();
  turn = Promise.resolve();
  tabs = new Set();

  /** The store of one tab. */
  tab() {
    const store = {
      isDurable: true,
      open: async taken => {
        await this.ready;
        this.tabs.add(store);
        store.taken = taken;
        return store;
      },
      close: async () => void this.tabs.delete(store),
      destroy: async () => {
        for (const other of this.tabs) if (other !== store) other.taken({ name: "deleted" });
        await this.memory.open();
      },
    };
    for (const name of ["get", "range", "write", "all"]) {
      store[name] = (...about) => {
        if (!this.tabs.has(store)) return Promise.reject(new Error("the database was closed"));
        const done = this.turn.then(() => new Promise(resolve => setTimeout(resolve, 1))).then(() => this.memory[name](...about));
        this.turn = done.catch(() => {});
        return done;
      };
    }
    return store;
  }
}
