import { h, place } from "./element-dom.js";
import { look } from "./element-look.js";
import { sign } from "./element-signs.js";
import { Words, languageOf, wordsOf } from "./element-words.js";
// What both elements have: a library that is lent to them or that they open, their words, and their drawing.

/** How long after the last element an open library is kept: an element that is moved leaves the page for a moment. */
const KEPT_MS = 1000;
/** The first wait before a start that failed is tried again, and the longest. */
const [AGAIN_MS, AGAIN_MAX_MS] = [1000, 60_000];
/** How often times are drawn again. */
const TIMES_MS = 30_000;
/** How long a refusal is shown. */
const COMPLAINT_MS = 6000;
/** Properties that a page may set before the elements are known. */
const PROPERTIES = ["library", "words", "names"];

/** The token at an address: a text, or an object with the member `token`. Null where nobody is signed in. */
async function tokenAt(address) {
  const answer = await fetch(address, { headers: { Accept: "application/json, text/plain" }, credentials: "same-origin", cache: "no-store" });
  if ([204, 401, 403].includes(answer.status)) return null;
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const text = (await answer.text()).trim();
  try {
    const value = JSON.parse(text);
    return typeof value === "string" ? value : value?.token ?? null;
  } catch {
    return text || null;  // a token is no JSON
  }
}

const lent = new Map();

async function openLibrary(one, options) {
  const { WatchWise } = await import("./watchwise.js");
  return (one.opened = await WatchWise.open({ client: "watchwise-elements/1", ...options }));
}

/** An open library for each server and source of tokens; all elements of a page share it. One that has ended is not lent again. */
function borrow(server, token, locale) {
  const name = JSON.stringify([server, token]);
  let one = lent.get(name);
  if (!one || ["closed", "signed-out", "blocked"].includes(one.opened?.state.name)) {
    one = { users: 0 };
    one.library = openLibrary(one, { server, token: () => tokenAt(token), locale });
    lent.set(name, one);
    one.library.catch(() => lent.delete(name));
  }
  one.users += 1;
  clearTimeout(one.timer);
  const giveBack = () => {
    one.users -= 1;
    if (one.users) return;
    one.timer = setTimeout(() => {
      if (lent.get(name) === one) lent.delete(name);
      one.library.then(library => library.close(), () => {});
    }, KEPT_MS);
  };
  return { library: one.library, giveBack };
}

/** Where pages are made on a server there are no elements: the file can be loaded there, too. */
const Base = globalThis.HTMLElement ?? Object;

/** An element with a library. A kind has `listen`, which begins its lists, `drawn`, which returns its nodes, and `clear`. */
export class LibraryElement extends Base {
  static get observedAttributes() {
    return ["server", "token", "lang", "dir", "inline", "with", "chat"];
  }

  constructor(kind) {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = look(kind);
    Object.assign(this, { given: null, own: undefined, ww: null, turn: null, say: new Words(), problem: null, state: { name: "idle" }, waitMs: AGAIN_MS });
  }

  connectedCallback() {
    for (const name of PROPERTIES) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.begin();
  }

  disconnectedCallback() {
    this.end();
  }

  attributeChangedCallback(_, before, now) {
    if (before !== now && this.turn) this.connect();
  }

  /** The open library: one that the page has given, or the element's own; null before there is one. */
  get library() {
    return this.given ?? this.ww;
  }

  set library(library) {
    this.given = library ?? null;
    if (this.turn) this.connect();
  }

  /** Words of the page's own, by their keys. */
  get words() {
    return this.own;
  }

  set words(words) {
    this.own = words;
    if (this.turn) this.connect();
  }

  /** Begins again: after somebody has signed in, for example. */
  connect() {
    this.end();
    if (this.isConnected) this.begin();
  }

  async begin() {
    if (this.turn) return;
    const control = new AbortController();
    const turn = this.turn = { signal: control.signal, end: () => control.abort(), offs: [] };
    this.changed();
    try {
      const language = languageOf(this);
      const server = this.getAttribute("server");
      const token = this.getAttribute("token");
      let opening = this.given;
      if (!opening && !server && !token) return;  // the page gives its library later
      if (!opening) {
        if (!server || !token) throw this.wrong("needs the attributes server and token, or the property library");
        const { library, giveBack } = borrow(new URL(server, document.baseURI).href, new URL(token, document.baseURI).href, language);
        turn.offs.push(giveBack);
        opening = library;
      }
      const [words, ww] = await Promise.all([wordsOf(language), opening]);
      if (this.turn !== turn) return;
      Object.assign(this, { say: words.with(this.own), ww, problem: null, state: ww.state, waitMs: AGAIN_MS });
      this.hear("state", state => {
        this.state = state;
        if (this.isOver) this.clear();  // the next person sees nothing of this one
        this.changed();
      });
      this.listen(turn.signal);
      const timer = setInterval(() => this.changed(), TIMES_MS);
      turn.offs.push(() => clearInterval(timer));
      this.emit("watchwise-ready", { library: ww });
    } catch (error) {
      if (this.turn !== turn) return;
      this.failed(error);
    }
    this.changed();
  }

  /** An error of the page's author. */
  wrong(text) {
    return Object.assign(new Error(`<${this.localName}> ${text}`), { kind: "permanent" });
  }

  /** The library could not be opened. Without a token the page says when somebody is signed in; else it is tried again. */
  async failed(error) {
    this.problem = error;
    const words = await wordsOf(languageOf(this)).catch(() => this.say);
    this.say = words.with(this.own);
    this.changed();
    if (error.kind === "auth") return;
    if (error.kind === "permanent") return globalThis.reportError?.(error);
    const { turn } = this;
    const timer = setTimeout(() => this.connect(), this.waitMs);
    this.waitMs = Math.min(this.waitMs * 2, AGAIN_MAX_MS);
    turn?.offs.push(() => clearTimeout(timer));
  }

  end() {
    const { turn } = this;
    Object.assign(this, { turn: null, ww: null });
    turn?.end();
    for (const off of turn?.offs ?? []) off();
  }

  /** Hears an event of the library as long as the element is in the page. */
  hear(type, listener) {
    this.turn.offs.push(this.ww.on(type, listener));
  }

  emit(type, detail) {
    return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: true }));
  }

  t(key, values) {
    return this.say.t(key, values);
  }

  /** Whether the user has signed out. */
  get isOver() {
    return this.problem?.kind === "auth" || ["closed", "signed-out"].includes(this.state.name);
  }

  /** What stands above the content while something is not as it should be; undefined else. */
  notice() {
    if (this.isOver) return this.t("signedOut");
    if (this.problem || ["offline", "waiting", "blocked"].includes(this.state.name)) return this.t("offline");
    return undefined;
  }

  /** Why the server has refused something, in words of the page's language for what happens to people. */
  whyNot({ code, message }) {
    const key = { blocked: "blockedBy", forbidden: "forbidden", "rate-limited": "tooOften", "too-large": "tooLarge" }[code];
    return key ? this.t(key) : message;
  }

  /** A button with a drawing. */
  button(name, label, act, more) {
    return h("button", { type: "button", class: `icon ${name}`, title: label, "aria-label": label, click: act, key: name, ...more }, sign(name));
  }

  /** A write of either library: a refusal is shown for a moment. */
  async doing(write) {
    try {
      return await (write.done ?? write);
    } catch (error) {
      if (!["closed", "cancelled"].includes(error.kind)) this.complain(`${this.t("refused")} ${this.whyNot(error)}`);
      return undefined;
    }
  }

  /** Shows a text for a moment. */
  complain(text) {
    this.complaint = text;
    clearTimeout(this.complaintTimer);
    this.complaintTimer = setTimeout(() => {
      this.complaint = undefined;
      this.changed();
    }, COMPLAINT_MS);
    this.changed();
  }

  /** Handlers of a panel of the top layer: when it closes, the focus goes back to its anchor, which browsers forget inside elements. */
  closing(anchor, toggled = () => {}) {
    const hasFocus = panel => panel.contains(this.shadowRoot.activeElement);
    return {
      beforetoggle: ({ currentTarget }) => { this.hadFocus = hasFocus(currentTarget); },
      toggle: event => {
        toggled(event);
        const at = this.getRootNode().activeElement;
        const isFree = hasFocus(event.currentTarget) || !at || at === document.body;
        if (event.newState === "closed" && this.hadFocus && isFree) anchor()?.focus({ preventScroll: true });
      },
    };
  }

  /** Something may look different now: the element is drawn once a turn. */
  changed() {
    if (this.isPlanned) return;
    this.isPlanned = true;
    queueMicrotask(() => {
      this.isPlanned = false;
      this.draw();
    });
  }

  draw() {
    if (!this.turn) return;
    this.beforeDrawing?.();
    place(this.shadowRoot, ...this.drawn(this.getAttribute("dir") ?? this.say.direction));
    this.afterDrawing?.();
  }

  /** The node that is drawn with a class. */
  find(name) {
    return this.shadowRoot.querySelector(`.${name}`);
  }
}

/** Defines an element, unless the page has one of this name: the file may be loaded twice. */
export function define(name, type) {
  if (!globalThis.customElements?.get(name)) globalThis.customElements?.define(name, type);
}
