import { LibraryElement } from "./element-base.js";
import { h, settle } from "./element-dom.js";
import { drawMessage, isEditable, keyOf, lineOf, stateOf } from "./element-messages.js";
import { sign } from "./element-signs.js";
// A chat with one person or of one room: `with` has the id of the person, `chat` that of the chat.

const PAGE = 50;
/** How near to an end of the list, in pixels, one reads the newest messages, or wants earlier ones. */
const NEAR = 80;
/** How long somebody is shown as writing after the last event; a library ends it after 5 s. */
const TYPING_MS = 7000;
/** Characters that turn the direction of what follows: a name must not turn the text around it. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

export class WatchWiseChat extends LibraryElement {
  constructor() {
    super("chat");
    this.clear();
  }

  clear() {
    Object.assign(this, {
      chat: null, row: null, messages: [], hasMore: false, isComplete: false, known: new Map(), rows: new Map(), draft: "", editing: null, answering: null,
      isAtEnd: true, isBlocked: false, isOnline: undefined, writer: null, menu: null, marked: 0, isInSight: true, isListed: false,
    });
  }

  // What the library tells

  listen(signal) {
    const { ww } = this;
    this.clear();
    const other = this.getAttribute("with");
    const id = this.getAttribute("chat");
    if (!ww.chat) throw this.wrong("needs the whole library, not watchwise/live");
    if (!other && !id) throw this.wrong("needs the attribute with, a person, or chat, the id of a chat");
    this.chat = ww.chat(id || { with: other });
    this.isRoom = this.chat.id.startsWith("room:");
    this.other = this.isRoom ? null : this.chat.id.split(":").find(user => user !== ww.user) ?? ww.user;
    this.listing = this.chat.watch(({ items, complete, hasMore }) => {
      Object.assign(this, { messages: items, isComplete: complete, hasMore });
      this.changed();
    }, { signal, limit: PAGE });
    ww.chats.watch(({ items, complete, hasMore }) => {
      this.row = items.find(({ chat }) => chat === this.chat.id) ?? null;
      this.isListed = Boolean(this.row) || !complete || hasMore;
      this.changed();
    }, { signal });
    this.hear("typing", ({ chat, user, on }) => chat === this.chat.id && user !== ww.user && this.wrote(on ? user : null));
    this.hear("message", ({ chat, from, text }) => {
      if (chat !== this.chat.id || from === ww.user) return;
      this.wrote(null);
      this.spoken = `${this.nameOf(from)}: ${text ?? ""}`;
    });
    if (!this.isRoom) this.listenToOne(signal);
    this.watchSight(signal);
    addEventListener("resize", () => this.menu && this.find("menu").hidePopover(), { signal });
  }

  listenToOne(signal) {
    const { ww, other } = this;
    ww.presence.watch([other], ({ items: [person], complete }) => {
      this.isOnline = complete ? person?.online : undefined;
      this.changed();
    }, { signal });
    for (const type of ["blocked", "unblocked"]) this.hear(type, ({ user }) => user === other && this.blocks(type === "blocked"));
    const ask = () => ww.state.name === "live" && this.readBlocks(signal).catch(() => {});  // the next connection asks again
    this.hear("state", ask);
    ask();
  }

  async readBlocks(signal) {
    for (let after; ;) {
      const { users, next } = await this.ww.request({ type: "blocks", limit: 200, ...(after && { after }) });
      if (signal.aborted) return;
      const isThere = users.includes(this.other);
      if (isThere || !next) return this.blocks(isThere);
      after = next;
    }
  }

  blocks(isBlocked) {
    this.isBlocked = isBlocked;
    this.changed();
  }

  /** What is read is what somebody sees: the page in front, and the element on the screen. */
  watchSight(signal) {
    const observer = new IntersectionObserver(entries => {
      this.isInSight = entries.at(-1).isIntersecting;
      this.markRead();
    });
    observer.observe(this);
    signal.addEventListener("abort", () => observer.disconnect(), { once: true });
    document.addEventListener("visibilitychange", () => this.markRead(), { signal });
  }

  markRead() {
    if (!this.chat || !this.isInSight || document.visibilityState !== "visible") return;
    const last = this.messages.findLast(({ n, from }) => n && from !== this.ww.user)?.n ?? 0;
    if (last <= Math.max(this.row?.read ?? 0, this.marked)) return;
    this.marked = last;
    this.doing(this.chat.read(last));
  }

  /** Somebody is writing, or nobody. */
  wrote(user) {
    clearTimeout(this.writerTimer);
    this.writer = user;
    if (user) this.writerTimer = setTimeout(() => this.wrote(null), TYPING_MS);
    this.changed();
  }

  /** The name of a person: as the page's function `names` says it, else as the server's profile does, else the id. */
  nameOf(user) {
    if (!this.known.has(user)) {
      this.known.set(user, null);
      Promise.resolve(this.names?.(user)).then(name => {
        if (!name) return;
        this.known.set(user, `${name}`.replace(TURNS, ""));
        this.changed();
      }, () => {});
    }
    const profile = user === this.other ? this.row?.profile?.name : undefined;
    return this.known.get(user) ?? (typeof profile === "string" ? profile.replace(TURNS, "") : user);
  }

  get name() {
    return this.isRoom ? this.row?.title ?? this.t("messages") : this.nameOf(this.other);
  }

  // What a person does

  get field() {
    return this.shadowRoot.querySelector("textarea");
  }

  edit(message) {
    Object.assign(this, { editing: message, answering: null, draft: message.text });
    this.toField();
  }

  answer(message) {
    Object.assign(this, { answering: message, editing: null });
    this.toField();
  }

  leave() {
    if (this.editing) this.draft = "";
    Object.assign(this, { editing: null, answering: null });
    this.toField();
  }

  toField() {
    this.changed();
    queueMicrotask(() => this.field?.focus());
  }

  wroteText(text) {
    this.draft = text;
    if (!this.editing && this.row) this.chat.typing(Boolean(text));
  }

  submit(event) {
    event.preventDefault();
    const text = this.field.value.trim();
    const { editing, answering } = this;
    if (!text) return;
    Object.assign(this, { draft: "", editing: null, answering: null });
    this.field.value = "";
    if (editing) {
      if (text !== editing.text) this.doing(this.chat.edit(editing.n, text));
    } else {
      this.isAtEnd = true;
      this.doing(this.chat.send(text, answering ? { replyTo: answering.n } : {}));
    }
    this.toField();
  }

  pressed(event) {
    const { key, shiftKey, isComposing } = event;
    if (isComposing) return;
    if (key === "Enter" && !shiftKey) this.field.form.requestSubmit();
    else if (key === "Escape" && (this.editing || this.answering)) this.leave();
    else if (key === "ArrowUp" && !this.field.value) {
      const last = this.messages.findLast(message => isEditable(message, this.ww.user));
      if (last) this.edit(last);
    } else return;
    event.preventDefault();
  }

  async block(isBlocked) {
    const before = this.isBlocked;
    this.blocks(isBlocked);
    if (await this.doing(isBlocked ? this.ww.block(this.other) : this.ww.unblock(this.other)) === undefined) this.blocks(before);
  }

  // Menus

  openMenu(anchor, label, items) {
    this.menu = { anchor, label, items };
    this.draw();
    const panel = this.find("menu");
    panel.showPopover();
    settle(panel, anchor);
    panel.querySelector("button").focus();
  }

  chosen({ act, asks }) {
    if (asks) return this.openMenu(this.menu.anchor, this.menu.label, asks);
    this.find("menu").hidePopover();
    act();
  }

  moved(event) {
    const all = [...this.find("menu").querySelectorAll("button")];
    const at = all.indexOf(this.shadowRoot.activeElement);
    const next = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (next !== undefined) all.at(next % all.length).focus();
    else if (event.key === "Tab") this.find("menu").hidePopover();
    else return;
    event.preventDefault();
  }

  menuItem(item) {
    const { label, text, isOn, isDanger } = item;
    const role = isOn === undefined ? { role: "menuitem" } : { role: "menuitemcheckbox", "aria-checked": String(isOn) };
    return h("button", { type: "button", ...role, tabindex: "-1", class: isDanger ? "danger" : "", "aria-label": text && label, click: () => this.chosen(item) }, text ?? label);
  }

  drawnMenu(dir) {
    const { label = this.t("chatMenu"), items = [] } = this.menu ?? {};
    return h("div", { class: "menu", part: "menu", key: "menu", role: "menu", popover: "auto", dir, "aria-label": label, keydown: event => this.moved(event),
      ...this.closing(() => this.menu.anchor) },
      items.map(item => Array.isArray(item) ? h("div", { class: "choices", role: "group", "aria-label": label }, item.map(one => this.menuItem(one))) : this.menuItem(item)));
  }

  // How it looks

  beforeDrawing() {
    const scroller = this.find("scroller");
    this.anchor = null;
    if (!scroller || this.isAtEnd) return;
    const node = [...scroller.querySelectorAll(".message")].find(one => one.offsetTop + one.offsetHeight > scroller.scrollTop);
    this.anchor = node && { node, offset: node.offsetTop - scroller.scrollTop };
  }

  afterDrawing() {
    const scroller = this.find("scroller");
    if (!scroller) return;
    if (this.isAtEnd) scroller.scrollTop = scroller.scrollHeight;
    else if (this.anchor?.node.isConnected) scroller.scrollTop = this.anchor.node.offsetTop - this.anchor.offset;
    this.markRead();
  }

  scrolled({ currentTarget: box }) {
    const was = this.isAtEnd;
    this.isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    if (was !== this.isAtEnd) this.changed();
    if (box.scrollTop < NEAR && box.scrollHeight > box.clientHeight) this.more();
  }

  /** Shows earlier messages, once for each length of the list. */
  more() {
    if (!this.hasMore || this.asked === this.messages.length) return;
    this.asked = this.messages.length;
    this.listing.more(PAGE);
  }

  drawn(dir) {
    const isReady = this.chat !== null;
    return [
      h("section", { class: "chat", part: "chat", key: "chat", dir, lang: this.say.tag, "aria-label": isReady ? `${this.t("messages")}: ${this.name}` : this.t("messages") },
        h("span", { class: "unseen", role: "status" }, this.spoken ?? ""),
        isReady ? this.head() : null, this.notices(),
        isReady ? [this.list(), this.isAtEnd ? null : this.toEnd(), this.foot()] : h("p", { class: "nothing" }, this.problem || this.isOver ? "" : this.t("loading"))),
      this.drawnMenu(dir),
    ];
  }

  notices() {
    const notice = this.notice();
    return [
      notice ? h("p", { class: "notice", part: "notice", role: "status", key: "notice" }, notice) : null,
      this.complaint ? h("p", { class: "notice bad", part: "notice", role: "alert", key: "complaint" }, this.complaint) : null,
    ];
  }

  head() {
    const { isOnline, writer } = this;
    const about = writer ? this.t("typing", { name: this.nameOf(writer) }) : isOnline === undefined ? "" : this.t(isOnline ? "online" : "away");
    const items = () => this.isBlocked ? [{ label: this.t("unblock"), act: () => this.block(false) }]
      : [{ label: this.t("block"), isDanger: true, asks: [{ label: this.t("blockAsk", { name: this.name }), isDanger: true, act: () => this.block(true) }] }];
    return h("div", { class: "bar", part: "bar", key: "bar" },
      h("div", { class: "who grow" }, h("div", { class: "title", part: "title" }, h("bdi", {}, this.name)), h("small", { part: "presence", role: "status" }, about)),
      this.isRoom ? null : this.button("dots", this.t("chatMenu"), event => this.openMenu(event.currentTarget, this.t("chatMenu"), items()),
        { part: "menu-button", "aria-haspopup": "menu" }));
  }

  list() {
    const { messages, ww } = this;
    const byNumber = new Map(messages.map(message => [message.n, message]));
    const rows = messages.map((message, at) => {
      const about = { state: stateOf(message, this), isFirst: messages[at - 1]?.from !== message.from, answered: message.replyTo && byNumber.get(message.replyTo) };
      return this.remembered(keyOf(message, ww.user), message, about);
    });
    if (this.rows.size > messages.length + PAGE) for (const [key, { node }] of this.rows) if (!node.isConnected) this.rows.delete(key);
    return h("div", { class: "scroller", part: "messages", key: "scroller", role: "log", tabindex: "0", "aria-label": this.t("messages"), scroll: event => this.scrolled(event) },
      this.hasMore ? h("button", { type: "button", class: "more", part: "more", key: "more", click: () => this.more() }, this.t("earlier")) : null,
      messages.length ? null : h("p", { class: "nothing", part: "empty", key: "nothing" }, this.t(this.isComplete ? "noMessages" : "loading")),
      h("ol", { class: "messages", key: "messages" }, rows));
  }

  /** The node of a message. One that did not change is the node of before, so a long chat costs what changed. */
  remembered(key, message, about) {
    const known = this.rows.get(key);
    const stamp = `${about.state} ${about.isFirst} ${this.say.tag} ${this.nameOf(message.from)}`;
    if (known && known.message === message && known.answered === about.answered && known.stamp === stamp) return known.node;
    const node = drawMessage(this, message, about);
    this.rows.set(key, { message, answered: about.answered, stamp, node: known?.node.isConnected ? known.node : node });
    return node;
  }

  toEnd() {
    const act = () => {
      this.isAtEnd = true;
      this.changed();
    };
    return this.button("down", this.t("newest"), act, { part: "newest" });
  }

  foot() {
    if (this.isRoom && !this.isListed) return h("p", { class: "barred", part: "barred", key: "barred" }, this.t("closed"));
    if (this.isBlocked) {
      return h("div", { class: "barred", part: "barred", key: "barred" }, h("span", { class: "grow" }, this.t("youBlocked", { name: this.name })),
        h("button", { type: "button", class: "framed", click: () => this.block(false) }, this.t("unblock")));
    }
    const about = this.editing ?? this.answering;
    const label = this.t(this.editing ? "save" : "send");
    return h("form", { class: "writer", part: "writer", key: "writer", submit: event => this.submit(event) },
      about ? h("div", { class: "about", key: "about" }, h("p", { class: "grow" }, h("b", {}, this.t(this.editing ? "edit" : "reply")), " ", h("bdi", {}, lineOf(this, about))),
        this.button("close", this.t("cancel"), () => this.leave())) : null,
      h("textarea", { part: "field", key: "field", rows: "1", maxlength: "4000", dir: this.draft && "auto", "aria-label": this.t("write"), placeholder: this.t("write"), given: this.draft,
        input: event => this.wroteText(event.target.value), keydown: event => this.pressed(event) }),
      h("button", { class: "primary icon", part: "send", key: "send", "aria-label": label, title: label }, sign(this.editing ? "check" : "send")));
  }
}
