import { LibraryElement } from "./element-base.js";
import { h, settle } from "./element-dom.js";
import { sign } from "./element-signs.js";
import { drawPreferences, watchPreferences } from "./element-preferences.js";
// A bell with its count; it opens the inbox. With the attribute `inline` the inbox stands in the page, without a bell.

const PAGE = 30;
/** The server's bound of a page, and so the longest list of the small library. */
const PAGE_MAX = 200;
const COUNT_MAX = 99;
const KINDS = { "time-sensitive": "urgent", critical: "critical" };

const tomorrow = () => {
  const time = new Date();
  time.setDate(time.getDate() + 1);
  time.setHours(9, 0, 0, 0);
  return time;
};

/** The address in a notification's data, if it has one that a page may go to. */
function addressOf({ data }) {
  if (typeof data?.url !== "string") return null;
  try {
    const address = new URL(data.url, document.baseURI);
    return ["http:", "https:"].includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}

export class WatchWiseInbox extends LibraryElement {
  constructor() {
    super("inbox");
    Object.assign(this, { isOpen: false, limit: PAGE });
    this.clear();
  }

  clear() {
    Object.assign(this, { items: [], hasMore: false, isComplete: false, count: 0, preferences: null, isSetting: false, spoken: "" });
  }

  // What the library tells

  listen(signal) {
    const { ww } = this;
    ww.unread.watch(({ value }) => {
      const count = value?.notifications ?? 0;
      if (count !== this.count) this.emit("watchwise-count", { notifications: count });
      this.count = count;
      this.changed();
    }, { signal });
    this.watch();
    watchPreferences(ww, preferences => {
      this.preferences = preferences;
      this.changed();
    }, signal).catch(() => {});  // asked for again with the next start; until then there are none to show
    this.hear("notification", ({ title, alert }) => alert === false || this.speak(title));
    this.hear("push", () => this.changed());
  }

  watch() {
    const { ww, turn, limit } = this;
    this.listing?.();
    this.listing = ww.inbox.watch(({ items, complete, hasMore }) => {
      // The small library has no window: it is asked for a longer page.
      Object.assign(this, { items, isComplete: complete, hasMore: hasMore ?? (items.length === limit && limit < PAGE_MAX) });
      this.changed();
    }, { signal: turn.signal, limit });
  }

  more() {
    if (this.listing.more) return this.listing.more(PAGE);
    this.limit = Math.min(this.limit + PAGE, PAGE_MAX);
    this.watch();
  }

  end() {
    super.end();
    this.listing = null;
  }

  // What a person does

  get isInline() {
    return this.hasAttribute("inline");
  }

  /** Opens the inbox. */
  show() {
    if (this.isInline || this.isOpen || !this.turn) return;
    this.isOpen = true;
    this.draw();
    const panel = this.find("panel");
    panel.showPopover();
    settle(panel, this.find("bell"));
    panel.focus({ preventScroll: true });
    if (this.hasAttribute("seen-on-open")) this.seeAll();
  }

  hide() {
    if (this.isOpen) this.find("panel").hidePopover();
  }

  toggled({ newState }) {
    this.isOpen = newState === "open";
    if (!this.isOpen) this.isSetting = false;
    const follow = this.follow ??= () => this.isOpen && settle(this.find("panel"), this.find("bell"));
    for (const [target, type] of [[window, "resize"], [document, "scroll"]])
      target[this.isOpen ? "addEventListener" : "removeEventListener"](type, follow, true);
    this.changed();
  }

  seeAll() {
    const upTo = Math.max(0, ...this.items.map(({ seq }) => seq));
    if (upTo && this.count) this.doing(this.ww.inbox.seen({ upTo }));
  }

  see(one) {
    if (!one.seen) this.doing(this.ww.inbox.seen({ ids: [one.id] }));
  }

  open(one) {
    this.see(one);
    const address = addressOf(one);
    if (this.emit("watchwise-open", one) && address) location.assign(address);
  }

  /** A notification leaves: the focus goes to the next one, or the one before it, or the panel. */
  leave(one, write, text) {
    const rows = [...this.shadowRoot.querySelectorAll(".note")];
    const at = rows.findIndex(({ key }) => key === one.id);
    if (rows[at]?.contains(this.shadowRoot.activeElement)) ((rows[at + 1] ?? rows[at - 1])?.querySelector(".open") ?? this.find("panel")).focus();
    this.speak(text);
    this.doing(write);
  }

  archive(one) {
    this.leave(one, this.ww.inbox.archive([one.id]), this.t("archived", { title: one.title || one.kind }));
  }

  pressed(one, event) {
    const { key, repeat } = event;
    const rows = [...this.shadowRoot.querySelectorAll(".open")];
    const at = rows.findIndex(row => row.contains(this.shadowRoot.activeElement));
    if (key === "Delete" || key === "Backspace") repeat || this.archive(one);
    else if (key === "ArrowDown" || key === "ArrowUp") rows[at + (key === "ArrowDown" ? 1 : -1)]?.focus();
    else return;
    event.preventDefault();
  }

  /** For those who hear the page. */
  speak(text) {
    this.spoken = text;
    this.changed();
  }

  // How it looks

  drawn(dir) {
    const label = this.count ? `${this.t("inbox")}, ${this.t("new", { n: this.count })}` : this.t("inbox");
    const bell = this.isInline ? null : h("button", { type: "button", class: "icon bell", part: "bell", key: "bell", "aria-label": label, "aria-haspopup": "dialog",
      "aria-expanded": String(this.isOpen), click: () => this.isOpen ? this.hide() : this.show() },
      sign("bell"), this.count ? h("span", { class: "count", part: "count", "aria-hidden": "true" }, this.count > COUNT_MAX ? `${COUNT_MAX}+` : this.count.toLocaleString(this.say.tag)) : null);
    const about = this.isInline ? { role: "region" } : { role: "dialog", popover: "auto", ...this.closing(() => this.find("bell"), event => this.toggled(event)) };
    return [
      h("span", { class: "unseen", role: "status", key: "spoken" }, this.spoken),
      bell,
      h("div", { class: "panel", part: "panel", key: "panel", dir, lang: this.say.tag, tabindex: "-1", "aria-label": this.t("inbox"), ...about },
        this.isInline || this.isOpen ? this.content() : null),
    ];
  }

  content() {
    const notice = this.notice();
    return [
      this.isSetting ? this.settingsBar() : this.listBar(),
      notice ? h("p", { class: "notice", part: "notice", role: "status", key: "notice" }, notice) : null,
      this.complaint ? h("p", { class: "notice bad", part: "notice", role: "alert", key: "complaint" }, this.complaint) : null,
      this.isSetting ? drawPreferences(this, this.preferences ?? {}) : this.list(),
    ];
  }

  listBar() {
    return h("div", { class: "bar", part: "bar", key: "bar" }, h("span", { class: "title grow", part: "title" }, this.t("inbox")),
      this.count ? this.button("check", this.t("seenAll"), () => this.seeAll(), { class: "icon seeAll", part: "see-all" }) : null,
      this.preferences ? this.button("gear", this.t("settings"), () => this.turnTo(true), { part: "settings" }) : null,
      this.button("close", this.t("close"), () => this.hide(), { class: "icon closes" }));
  }

  settingsBar() {
    return h("div", { class: "bar", part: "bar", key: "settingsBar" }, this.button("back", this.t("back"), () => this.turnTo(false)),
      h("span", { class: "title grow", part: "title" }, this.t("settings")), this.button("close", this.t("close"), () => this.hide(), { class: "icon closes" }));
  }

  turnTo(isSetting) {
    this.isSetting = isSetting;
    this.changed();
    queueMicrotask(() => this.shadowRoot.querySelector(isSetting ? "button.back" : "button.gear")?.focus());
  }

  list() {
    if (!this.items.length) return h("p", { class: "nothing", part: "empty", key: "nothing" }, this.isOver ? "" : this.t(this.isComplete || this.problem ? "empty" : "loading"));
    return h("div", { class: "rows", key: "rows" },
      h("ul", { part: "list" }, this.items.map(one => this.note(one))),
      this.hasMore ? h("button", { type: "button", class: "more", part: "more", click: () => this.more() }, this.t("earlier")) : null);
  }

  note(one) {
    const kind = KINDS[one.level];
    const state = one.seen ? "seen" : "fresh";
    return h("li", { class: `note ${state} ${kind ?? ""}`, part: `note ${state} ${kind ?? ""}`, key: one.id, "data-id": one.id, keydown: event => this.pressed(one, event) },
      h("div", { class: "grow" },
        h("div", { class: "meta" }, kind ? h("b", { class: "level" }, this.t(kind)) : null, h("time", { datetime: one.at, title: this.say.moment(one.at) }, this.say.ago(one.at))),
        h("button", { type: "button", class: "open", part: "open", click: () => this.open(one) }, h("bdi", {}, one.title || one.kind)),
        one.body ? h("p", { class: "body", part: "body", dir: "auto" }, one.body) : null),
      h("div", { class: "acts", part: "acts" },
        one.seen ? null : this.button("check", this.t("seen"), () => this.see(one)),
        this.button("clock", this.t("snooze"), () => this.leave(one, this.ww.inbox.snooze([one.id], tomorrow()), this.t("snooze"))),
        this.button("archive", this.t("archive"), () => this.archive(one), { "aria-keyshortcuts": "Delete" })));
  }
}
