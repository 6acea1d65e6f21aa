import { Pace } from "./lists.js";
// What each tab needs of the connection: whether somebody looks at it, and what its lists watch. The leader serves all.

const ASK_LEADER_MS = 5000;

/** The needs of this tab, and of the others, as far as they have said them. */
export class Needs {
  constructor(core) {
    this.core = core;
    this.watched = new Map();  // paths, with how many lists of this tab want them
    this.people = null;        // lists of who is online
    this.looking = new Map();  // by tab: whether somebody looks, and at which chat
    this.heard = new Set();    // tabs that have said something since the roll was called
    this.isGone = false;
  }

  // This tab

  /** Watches paths until the returned function is called. */
  watch(paths) {
    if (paths.length === 0) return () => {};
    for (const path of paths) this.watched.set(path, (this.watched.get(path) ?? 0) + 1);
    this.sayWanted();
    return () => {
      for (const path of paths) {
        const count = this.watched.get(path) - 1;
        if (count) this.watched.set(path, count);
        else this.watched.delete(path);
      }
      this.sayWanted();
    };
  }

  /** Watches who is online until the returned function is called. */
  watchPeople(users, told, { signal } = {}) {
    const { core } = this;
    let [off, isOver] = [() => {}, false];
    const watch = ({ PresenceLists }) => {
      if (isOver || core.isClosed) return;
      this.people ??= new PresenceLists(() => this.sayWanted(), Pace);
      off = this.people.watch(users, told, { signal });
    };
    if (core.writing.here) watch(core.writing.here);
    else core.writing.eventually().then(watch, () => {});
    return () => {
      isOver = true;
      off();
    };
  }

  /** Says what the lists of this tab watch. */
  sayWanted() {
    const { engine, tabs } = this.core;
    const wanted = { paths: [...this.watched.keys()], users: this.people?.users ?? [] };
    if (engine) this.want(tabs.id, wanted);
    else tabs?.post({ kind: "want", ...wanted });
  }

  /** The chat that was watched last, of those that still are. */
  get chatOnScreen() {
    return [...this.core.lists].reverse().find(({ source }) => source.chat)?.source.chat;
  }

  /** Says whether somebody looks at this tab. */
  sayLooking() {
    const { document } = globalThis;
    if (document === undefined || this.isGone) return;
    const isVisible = document.visibilityState === "visible";
    const looking = { isVisible, isFocused: isVisible && document.hasFocus(), chat: this.chatOnScreen };
    this.look(this.core.tabs.id, looking);
    this.core.tabs.post({ kind: "looking", looking });
  }

  watchPage() {
    const { core } = this;
    const { document, window } = globalThis;
    const look = () => {
      this.sayLooking();
      if (document.visibilityState === "visible") core.tabs.askLeader();
    };
    for (const type of ["visibilitychange", "freeze", "resume"]) core.listen(document, type, look);
    for (const type of ["focus", "blur"]) core.listen(window, type, look);
    for (const type of ["online", "offline"]) core.listen(window, type, () => core.online(type));
    core.listen(window, "pagehide", ({ persisted }) => {
      this.isGone = true;  // a page that goes is hidden after this
      // One that is put away for the way back would keep the lead from the others.
      if (persisted && core.tabs.leave()) return;
      core.tabs.post({ kind: "gone" });
      core.engine?.disconnect();
    });
    core.listen(window, "pageshow", ({ persisted }) => {
      if (!persisted) return;
      this.isGone = false;
      // Somebody has signed out meanwhile: a page that was put away hears nothing.
      if (core.isForgotten) return void core.signedOut();
      core.tabs.comeBack();
      core.tabs.post({ kind: "arrived" });
      this.sayWanted();
      this.sayLooking();
      core.changed_(["everything"]);  // a page that was put away hears nothing
      if (core.isWanted) core.engine?.connect();
    });
    let timer;
    const watchLeader = () => {
      clearInterval(timer);
      if (document.visibilityState === "visible") timer = setInterval(() => core.tabs.askLeader(), ASK_LEADER_MS);
    };
    core.listen(document, "visibilitychange", watchLeader);
    watchLeader();
    core.unlisten.push(() => clearInterval(timer));
  }

  // All tabs

  /** What a tab watches; one of an earlier version of the library says no users. */
  want(tab, { paths, users = [] }) {
    const { engine, writing } = this.core;
    const known = engine.wanted.get(tab)?.paths ?? [];
    for (const path of paths) if (!known.includes(path)) this.core.tellWatch(path);
    engine.want(tab, { paths, users });
    if (paths.length || users.length) writing.want();
  }

  look(tab, looking) {
    const { engine } = this.core;
    this.looking.set(tab, looking);
    if (!engine) return;
    const all = [...this.looking.values()];
    engine.hint(all.some(({ isVisible }) => isVisible) ? "visible" : "hidden");
    const focused = all.find(({ isFocused }) => isFocused);
    const focus = { on: Boolean(focused), ...(focused?.chat && { chat: focused.chat }) };
    const text = JSON.stringify(focus);
    if (!engine.isLive) return void (this.toldFocus = undefined);
    if (text === this.toldFocus) return;
    this.toldFocus = text;
    engine.tell({ type: "focus", ...focus });
  }

  /** A tab that crashed says no goodbye: one that has been silent since the last call is forgotten. */
  callRoll() {
    const { engine, tabs } = this.core;
    if (!engine || !tabs.channel) return;
    for (const tab of [...this.looking.keys()]) if (tab !== tabs.id && !this.heard.has(tab)) this.forget(tab);
    this.heard.clear();
    tabs.post({ kind: "leads", isRoll: true });  // tabs of an earlier version answer it, too
  }

  /** Nobody looks at a tab that is gone, and nothing is watched for it. */
  forget(tab) {
    this.looking.delete(tab);
    if (!this.core.engine) return;
    this.want(tab, { paths: [], users: [] });
    this.sayLooking();
  }
}
