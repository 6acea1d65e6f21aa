import { callApp } from "./errors.js";
import { isSame } from "./patches.js";
// Who is online: the connection has one watch, which serves all lists of all tabs.

/** The server's bound of people for one connection. */
const PEOPLE_MAX = 200;

/** The people of all tabs, where the connection is. */
export class WatchedPeople {
  constructor(engine) {
    this.engine = engine;
    this.wanted = new Map();  // by tab: users
    this.asked = [];          // what this connection watches
    this.people = new Map();  // what the server has said of them
  }

  /** The people that a tab watches now. If all are too many, those that were wanted last are watched. */
  want(tab, users) {
    if (isSame(users, this.wanted.get(tab) ?? [])) return;
    this.wanted.delete(tab);
    if (users.length) this.wanted.set(tab, users);
    this.tell();
    queueMicrotask(() => this.ask());  // lists that end and begin in the same turn are one change
  }

  async ask() {
    const { engine } = this;
    const users = [...new Set([...this.wanted.values()].reverse().flat())].slice(0, PEOPLE_MAX);
    if (!engine.isLive || isSame(users, this.asked)) return;
    this.asked = users;
    const atOnce = ({ online }) => {
      if (this.asked !== users) return;
      this.people = new Map(users.map(user => [user, { ...this.people.get(user), user, online: online.includes(user) }]));
      this.tell();
    };
    try {
      await engine.request({ type: "presence", watch: users }, { persistence: "once", atOnce });
    } catch (error) {
      // Over a stream of events it is refused for good: then nothing is known, and nothing is said.
      if (this.asked !== users) return;
      this.asked = [];
      if (error.retryAfterMs !== undefined) setTimeout(() => this.ask(), error.retryAfterMs).unref?.();
    }
  }

  took({ user, online, lastSeen }) {
    if (this.people.has(user)) this.people.set(user, { user, online, ...(lastSeen && { lastSeen }) });
  }

  disconnected() {
    this.asked = [];
    this.people.clear();
    this.tell();
  }

  /** Tells all tabs what is known; the engine that leads now tells it, and no other. */
  tell() {
    if (this.wanted.size && !this.engine.isStopped) this.engine.owner.peopleTold([...this.people.values()]);
  }
}

/** The lists of a tab. */
export class PresenceLists {
  /** @param {() => void} changed called when other people are watched */
  constructor(changed) {
    this.changed = changed;
    this.lists = new Set();
    this.people = new Map();   // what was heard last
    this.current = new Set();  // of whom that is true now
  }

  get users() {
    return [...new Set([...this.lists].reverse().flatMap(({ users }) => users))];
  }

  watch(users, told, { signal } = {}) {
    if (signal?.aborted) return () => {};
    const list = { users: [...new Set(users)], told, shown: null };
    this.lists.add(list);
    this.show(list);
    this.changed();
    const off = () => {
      if (this.lists.delete(list)) this.changed();
    };
    signal?.addEventListener("abort", off, { once: true });
    return off;
  }

  /** All that is known now. */
  take(people) {
    this.current = new Set(people.map(({ user }) => user));
    for (const person of people) this.people.set(person.user, person);
    for (const list of [...this.lists]) this.show(list);
  }

  took({ user, online, lastSeen }) {
    if (!this.current.has(user)) return;
    this.people.set(user, { user, online, ...(lastSeen && { lastSeen }) });
    for (const list of [...this.lists]) this.show(list);
  }

  show(list) {
    const items = list.users.map(user => this.people.get(user) ?? { user, online: false });
    const shown = { items, complete: list.users.every(user => this.current.has(user)) };
    if (isSame(shown, list.shown)) return;
    list.shown = shown;
    callApp(list.told, shown);
  }

  close() {
    this.lists.clear();
  }
}
