import { callApp } from "./errors.js";
import { isSame } from "./patches.js";
// Who is online: the connection has one watch, which serves all lists of all tabs.

/** The server's bound of people for one connection. */
const PEOPLE_MAX = 200;

/** A person as an event tells of them. */
function personOf({ user, online, lastSeen }) {
  return { user, online, ...(lastSeen && { lastSeen }) };
}

/** The people of all tabs, where the connection is. */
export class WatchedPeople {
  constructor(engine) {
    this.engine = engine;
    this.wanted = new Map();  // by tab: users
    this.asked = [];          // what this connection watches
    this.people = new Map();  // what the server has said of them
    this.refused = new Set(); // names that are no names of users
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
    const wanted = new Set([...this.wanted.values()].reverse().flat());
    const users = [...wanted].filter(user => !this.refused.has(user)).slice(0, PEOPLE_MAX);
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
      // The wrong name of one list must not take the others their people: the server says which it is.
      const wrong = users[/^watch\.(\d+)$/.exec(error.field)?.[1]];
      if (wrong !== undefined) {
        this.refused.add(wrong);
        this.ask();
      } else if (error.retryAfterMs !== undefined) setTimeout(() => this.ask(), error.retryAfterMs).unref?.();
    }
  }

  took(event) {
    if (this.people.has(event.user)) this.people.set(event.user, personOf(event));
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
  /**
   * @param {() => void} changed called when other people are watched
   * @param Pace the class of the module that loads this one
   */
  constructor(changed, Pace) {
    Object.assign(this, { changed, Pace });
    this.lists = new Set();
    this.people = new Map();   // what was heard last
    this.current = new Set();  // of whom that is true now
  }

  get users() {
    return [...new Set([...this.lists].reverse().flatMap(({ users }) => users))];
  }

  watch(users, told, { signal } = {}) {
    if (signal?.aborted) return () => {};
    const list = { users: [...new Set(users)], told, shown: null, pace: new this.Pace(() => this.show(list)) };
    this.lists.add(list);
    list.pace.ask();
    this.changed();
    const off = () => {
      list.pace.end();
      if (this.lists.delete(list)) this.changed();
    };
    signal?.addEventListener("abort", off, { once: true });
    return off;
  }

  /** All that is known now. */
  take(people) {
    this.current = new Set(people.map(({ user }) => user));
    for (const person of people) this.people.set(person.user, person);
    for (const list of this.lists) list.pace.ask();
  }

  took(event) {
    if (!this.current.has(event.user)) return;
    this.people.set(event.user, personOf(event));
    for (const list of this.lists) list.pace.ask();
  }

  show(list) {
    const items = list.users.map(user => this.people.get(user) ?? { user, online: false });
    const shown = { items, complete: list.users.every(user => this.current.has(user)) };
    if (isSame(shown, list.shown)) return;
    list.shown = shown;
    callApp(list.told, shown);
  }

  /** Nobody here may know any more who was online. */
  forget() {
    this.people.clear();
    this.take([]);
  }

  close() {
    for (const { pace } of this.lists) pace.end();
    this.lists.clear();
  }
}
