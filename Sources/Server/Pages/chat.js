"use strict";
// The demo's page: one user's chats over GET /v1/ws. First the connection, which knows the contract and
// nothing of the page; then the state, which only copies what the server says; then the view.
(() => {
const user = new URLSearchParams(location.search).get("user");
const $ = id => document.getElementById(id);
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), b => b.toString(16).padStart(2, "0")).join("");

const words = {
  en: { chats: "Chats", people: "People", notifications: "Notifications", seenAll: "Mark all as seen", close: "Close",
    choose: "Choose a conversation.", back: "Back to the chats", messages: "Messages", earlier: "Earlier messages",
    recommend: "Recommend a film", write: "Message", send: "Send", find: "Find a film", films: "Films",
    note: "Add a note (optional)", cancel: "Cancel", advise: "Recommend", connected: "Connected", connecting: "Connecting …",
    waiting: "Reconnecting in %s s", offline: "Offline, trying again in %s s", replaced: "Open in another window",
    closed: "Disconnected", again: "Connect here", online: "online", away: "offline", typing: "is writing …",
    pending: "Waiting", sent: "Sent", delivered: "Delivered", read: "Read", failed: "Not sent", remove: "Remove",
    seen: "Seen", unseen: "Not seen yet", deleted: "Message deleted", edited: "edited", nothing: "Nothing new.",
    you: "You: ", film: "Film: ", unread: "unread", today: "Today", alone: "%s, in a window of its own" },
  it: { chats: "Chat", people: "Persone", notifications: "Notifiche", seenAll: "Segna tutte come viste", close: "Chiudi",
    choose: "Scegli una conversazione.", back: "Torna alle chat", messages: "Messaggi", earlier: "Messaggi precedenti",
    recommend: "Consiglia un film", write: "Messaggio", send: "Invia", find: "Cerca un film", films: "Film",
    note: "Aggiungi una nota (facoltativa)", cancel: "Annulla", advise: "Consiglia", connected: "Connesso", connecting: "Connessione …",
    waiting: "Nuovo tentativo fra %s s", offline: "Offline, nuovo tentativo fra %s s", replaced: "Aperto in un’altra finestra",
    closed: "Disconnesso", again: "Connetti qui", online: "online", away: "offline", typing: "sta scrivendo …",
    pending: "In attesa", sent: "Inviato", delivered: "Consegnato", read: "Letto", failed: "Non inviato", remove: "Rimuovi",
    seen: "Visto", unseen: "Non ancora visto", deleted: "Messaggio eliminato", edited: "modificato", nothing: "Nessuna novità.",
    you: "Tu: ", film: "Film: ", unread: "non letti", today: "Oggi", alone: "%s, in una finestra a sé" },
};
let locale = navigator.language.startsWith("it") ? "it" : "en";
const t = (name, value) => words[locale][name].replace("%s", value);

// ---- Connection: hello, resume, replies, outbox, heartbeat, backoff -----------------------------------------

const ephemeral = new Set(["live", "reset", "beat", "bye", "typing", "presence", "expiring", "drain"]);

class Connection {
  constructor(user, handlers) {
    this.user = user;
    this.handlers = handlers;
    this.place = "watchwise:" + user;
    this.saved = { device: "web-" + newKey(), since: null, outbox: [] };
    try { Object.assign(this.saved, JSON.parse(sessionStorage.getItem(this.place))); } catch { /* begin anew */ }
    this.attempts = 0;
    this.waiting = new Map();
    this.state = "connecting";
    setInterval(() => this.watch(), 1000);
    addEventListener("online", () => this.state === "waiting" && this.open());
  }

  save() {
    try { sessionStorage.setItem(this.place, JSON.stringify(this.saved)); } catch { /* kept in memory only */ }
  }

  enter(state, until) {
    this.state = state;
    this.until = until;
    this.handlers.state(state);
  }

  async open() {
    clearTimeout(this.timer);
    if (this.socket) return;
    this.enter("connecting");
    const attempt = this.attempt = {};
    try {
      if (!this.token) {
        const answer = await fetch("demo/session?user=" + encodeURIComponent(this.user));
        if (!answer.ok) throw new Error(answer.status);
        const session = await answer.json();
        this.token = session.token;
        this.handlers.session(session);
      }
    } catch { return attempt === this.attempt && this.retry(); }
    if (attempt !== this.attempt) return;
    const url = new URL("v1/ws", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = this.socket = new WebSocket(url, "watchwise.v1");
    this.durable = 0;
    this.bye = this.heartbeat = undefined;
    this.heard = Date.now();
    socket.onopen = () => this.hello();
    socket.onmessage = message => socket === this.socket && this.receive(JSON.parse(message.data));
    socket.onclose = event => socket === this.socket && this.lost(event.code);
  }

  async hello() {
    const { device, since } = this.saved;
    try {
      const ok = await this.request({ type: "hello", token: this.token, device, locale, client: "demo/1", ...(since && { since }) });
      this.epoch = ok.epoch;
      this.heartbeat = ok.heartbeat;
      this.handlers.unread(ok.unread);
    } catch (error) {
      if (error.class === "auth") this.token = null;
      this.bye = error.retryAfterMs;
      if (this.socket) this.lost(error.class === "permanent" ? 4400 : 4500);
    }
  }

  /** The token ends soon: a new hello on the same connection renews it, without `since`, as nothing is missing. */
  async renew() {
    try {
      const answer = await fetch("demo/session?user=" + encodeURIComponent(this.user));
      this.token = (await answer.json()).token;
      await this.request({ type: "hello", token: this.token, device: this.saved.device, locale });
    } catch { this.token = null; }
  }

  /** Resolves with `ok`; rejects with the error object of the contract. */
  request(command) {
    return new Promise((resolve, reject) => {
      if (this.socket?.readyState !== WebSocket.OPEN) return reject({ class: "retry" });
      const id = this.lastID = (this.lastID ?? 0) + 1;
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ id, ...command }));
    });
  }

  /** Without an id there is no reply: for what may be lost. */
  tell(command) {
    if (this.state === "connected") this.socket.send(JSON.stringify(command));
  }

  receive(message) {
    this.heard = Date.now();
    if ("re" in message) {
      const { resolve, reject } = this.waiting.get(message.re) ?? {};
      this.waiting.delete(message.re);
      return message.error ? reject?.(message.error) : resolve?.(message.ok);
    }
    const { type, seq } = message;
    if (type === "bye") this.bye = message.reconnectInMs;
    if (type === "expiring") this.renew();
    if (type === "beat" && message.events !== this.durable) return this.lost();  // something is missing: resume
    if (type === "reset") {
      this.saved.since = null;
      this.handlers.reset();
    }
    if (type === "live") {
      this.advance(seq);
      this.attempts = 0;
      this.enter("connected");
      this.pump();
      this.handlers.live();
    }
    if (!ephemeral.has(type) && Number.isInteger(seq)) {
      this.durable += 1;
      if (message.key) this.settle(message.key);
      this.handlers.event(message);
      this.advance(seq);
      this.acknowledge ??= setTimeout(() => {
        this.acknowledge = undefined;
        this.tell({ type: "ack", seq: this.saved.since.seq });
      }, 200);
    } else this.handlers.event(message);
  }

  advance(seq) {
    const before = this.saved.since;
    const floor = before && before.epoch === this.epoch ? before.seq : 0;
    this.saved.since = { epoch: this.epoch, seq: Math.max(floor, seq) };
    this.save();
  }

  // Every write waits in the outbox with its key until it is answered, and is sent again with the same key.
  write(command) {
    this.saved.outbox.push({ key: newKey(), at: new Date().toISOString(), command });
    this.save();
    this.pump();
  }

  settle(key) {
    this.saved.outbox = this.saved.outbox.filter(entry => entry.key !== key);
    this.save();
  }

  async pump() {
    if (this.pumping) return;
    this.pumping = true;
    let entry;
    while (this.state === "connected" && (entry = this.saved.outbox.find(entry => !entry.error))) {
      try {
        const ok = await this.request({ ...entry.command, key: entry.key });
        this.settle(entry.key);
        this.handlers.written(entry, ok);
      } catch (error) {
        if (error.class === "permanent") {
          entry.error = error.message || error.code;
          this.save();
          this.handlers.written(entry);
        } else if (error.class === "auth") {
          this.token = null;
          if (this.socket) this.lost();
        } else if (this.state === "connected") {
          await new Promise(done => setTimeout(done, error.retryAfterMs ?? 500 + Math.random() * 1500));
        }
      }
    }
    this.pumping = false;
  }

  lost(code) {
    const socket = this.socket;
    this.socket = undefined;
    socket.close();
    for (const { reject } of this.waiting.values()) reject({ class: "retry" });
    this.waiting.clear();
    if (code === 4401) this.token = null;
    else if (code >= 4400 && code < 4500) return this.enter(code === 4409 ? "replaced" : "closed");
    this.retry(this.bye);
  }

  /** After the delay the server announced, or a doubling one; jitter keeps the clients apart. */
  retry(announced) {
    const ceiling = Math.min(30000, 500 * 2 ** this.attempts++);
    const delay = announced === undefined ? ceiling * (0.5 + Math.random() / 2) : announced + Math.random() * 500;
    this.enter("waiting", Date.now() + delay);
    this.timer = setTimeout(() => this.open(), delay);
  }

  watch() {
    if (this.state === "waiting") this.handlers.state(this.state);
    if (this.socket && Date.now() - this.heard > (this.heartbeat ?? 8000) * 2.5) this.lost();
  }
}

// ---- State: what the server said, by chat; counts are the server's --------------------------------------------

const chats = new Map();
const people = new Map();
const presence = new Map();
let films = [];
let notifications = [];
let unseen = 0;
let unreadChats = 0;
let open = null;

const name = id => people.get(id)?.name ?? id;
const title = chat => chat.title ?? (chat.peer ? name(chat.peer) : chat.id);
const pairID = peer => [user, peer].sort().join(":");
const newest = chat => Math.max(0, ...(chat.messages?.keys() ?? []));

function chatOf(id) {
  if (!chats.has(id)) {
    const peer = id.startsWith("room:") ? null : id.split(":").find(one => one !== user);
    chats.set(id, { id, peer, read: 0, peerRead: 0, delivered: 0, unread: 0, last: null, messages: null, asked: 0 });
  }
  return chats.get(id);
}

const connection = new Connection(user, {
  session(session) {
    for (const person of session.people) people.set(person.id, person);
    films = session.films;
    locale = (people.get(user)?.locale ?? locale).startsWith("it") ? "it" : "en";
    translate();
  },
  state(state) {
    if (state !== "connected") presence.clear();
    for (const chat of chats.values()) if (state !== "connected") chat.typing = false;
    drawConnection();
  },
  unread(counts) { takeCounts(counts ?? {}); },
  reset() { for (const chat of chats.values()) chat.messages = null; },
  live() {
    refreshChats();
    refreshNotifications();
    if (open && !open.messages) loadHistory(open);
  },
  written(entry, ok) {
    if (entry.error) say(t("failed") + ": " + entry.error);
    else if (ok.chat && ok.n) put(ok.chat, { ...entry.command, chat: ok.chat, n: ok.n, at: ok.at, from: user, text: entry.command.text ?? entry.command.note });
    draw();
  },
  event: take,
});

function take(event) {
  const chat = event.chat ? chatOf(event.chat) : null;
  switch (event.type) {
  case "message":
    put(event.chat, event);
    if (event.from !== user) {
      chat.typing = false;
      if (chat === open) say(name(event.from) + ": " + preview(event), "announce");
    }
    refreshChats.soon();
    break;
  case "message.edited": change(chat, event.n, { text: event.text, edited: true }); break;
  case "message.deleted": change(chat, event.n, { deleted: true }); break;
  case "read":
    if (event.user === user) chat.read = Math.max(chat.read, event.n);
    else chat.peerRead = Math.max(chat.peerRead, event.n);
    refreshChats.soon();
    break;
  case "delivered": if (event.user !== user) chat.delivered = Math.max(chat.delivered, event.n); break;
  case "typing":
    if (event.user === user) return;
    chat.typing = event.on;
    clearTimeout(chat.typingEnds);
    chat.typingEnds = setTimeout(() => { chat.typing = false; draw(); }, 6000);
    break;
  case "presence": presence.set(event.user, event.online); break;
  case "unread": takeCounts(event); break;
  case "room": refreshChats.soon(); break;
  case "notification": say(event.title, "announce"); refreshNotifications.soon(); break;
  case "notification.seen": case "notification.removed": refreshNotifications.soon(); break;
  default: return;
  }
  draw();
}

function takeCounts(counts) {
  unreadChats = counts.chats ?? unreadChats;
  unseen = counts.notifications ?? unseen;
  draw();
}

function put(id, message) {
  const chat = chatOf(id);
  if (!chat.last || message.n >= chat.last.n) chat.last = message;
  if (!chat.messages) return;
  if (message.n > newest(chat) + 1) return loadHistory(chat);  // numbers have no gaps: something is missing here
  chat.messages.set(message.n, { ...chat.messages.get(message.n), ...message });
}

function change(chat, n, fields) {
  for (const message of [chat.messages?.get(n), chat.last]) if (message?.n === n) Object.assign(message, fields);
}

/** Many events, one question: the answer is absolute. */
function coalesced(ask) {
  const run = () => ask().then(draw, () => {});
  run.soon = () => { run.timer ??= setTimeout(() => { run.timer = undefined; run(); }, 100); };
  return run;
}

const refreshChats = coalesced(async () => {
  const { chats: rows } = await connection.request({ type: "chats", limit: 200 });
  for (const { chat: id, with: other, last, unread, read, peerRead, title } of rows) {
    const chat = chatOf(id);
    if (typeof other === "object" && other?.name) people.set(other.id, other);
    if (last) chat.last = last;
    Object.assign(chat, { title, unread, read: Math.max(chat.read, read ?? 0), peerRead: Math.max(chat.peerRead, peerRead ?? 0) });
  }
  const watch = [...chats.values()].filter(chat => chat.peer && chat.last).map(chat => chat.peer).slice(0, 200);
  if (!watch.every(peer => presence.has(peer))) {
    for (const peer of watch) presence.set(peer, false);
    const { online } = await connection.request({ type: "presence", watch });
    for (const peer of online) presence.set(peer.user ?? peer, true);
  }
});

const refreshNotifications = coalesced(async () => {
  const answer = await connection.request({ type: "notifications", limit: 50 });
  notifications = answer.notifications;
  unseen = answer.unread;
});

async function loadHistory(chat, before) {
  if (chat.loading) return;
  chat.loading = true;
  try {
    const { messages } = await connection.request({ type: "history", chat: chat.id, limit: 50, ...(before && { before }) });
    chat.messages ??= new Map();
    if (!before && Math.min(...messages.map(one => one.n)) > newest(chat) + 1) chat.messages.clear();
    for (const message of messages) chat.messages.set(message.n, message);
    chat.messages = new Map([...chat.messages].sort(([a], [b]) => a - b));
  } catch (error) {
    if (error.class === "permanent") chat.messages ??= new Map();  // a chat that nobody has begun
  }
  chat.loading = false;
  draw();
}

/** What is on the screen is read. */
function markRead() {
  if (!open?.messages || document.visibilityState !== "visible" || connection.state !== "connected") return;
  const theirs = [...open.messages.values()].filter(message => message.from !== user).map(message => message.n);
  const n = Math.max(0, ...theirs);
  if (n <= open.read || n <= open.asked) return;
  const chat = open;
  chat.asked = n;
  connection.request({ type: "read", chat: chat.id, n, key: newKey() })
    .then(() => { chat.read = Math.max(chat.read, n); draw(); }, () => { chat.asked = 0; });
}

async function markSeen(ids) {
  if (!ids.length) return;
  try {
    unseen = (await connection.request({ type: "seen", ids, key: newKey() })).unread ?? unseen;
    refreshNotifications();
  } catch (error) { if (error.message) say(error.message); }
}

// ---- View: text enters only as textContent -----------------------------------------------------------------

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

const hue = text => [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);

function paint(avatar, id) {
  avatar.textContent = name(id).slice(0, 1).toUpperCase();
  avatar.style.setProperty("--hue", hue(id));
  avatar.dataset.online = presence.get(id) === true;
  return avatar;
}

const clock = at => new Date(at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
const isToday = at => new Date(at).toDateString() === new Date().toDateString();
const day = at => isToday(at) ? t("today") : new Date(at).toLocaleDateString(locale, { weekday: "long", day: "numeric", month: "long" });
const moment = at => isToday(at) ? clock(at) : new Date(at).toLocaleDateString(locale, { day: "numeric", month: "short" });

function preview(message) {
  if (message.deleted) return t("deleted");
  return message.product ? t("film") + (message.product.title ?? message.product.id) : message.text ?? "";
}

let alertEnds;
function say(text, where = "alert") {
  $(where).textContent = text;
  if (where !== "alert") return;
  $("alert").hidden = false;
  clearTimeout(alertEnds);
  alertEnds = setTimeout(() => { $("alert").hidden = true; }, 5000);
}

function translate() {
  document.documentElement.lang = locale;
  for (const one of document.querySelectorAll("[data-t]")) one.textContent = t(one.dataset.t);
  for (const one of document.querySelectorAll("[data-t-label]")) one.setAttribute("aria-label", t(one.dataset.tLabel));
  for (const one of document.querySelectorAll("[data-t-placeholder]")) one.placeholder = t(one.dataset.tPlaceholder);
  $("me").textContent = name(user);
  $("again").textContent = t("again");
  paint($("me-avatar"), user);
  draw();
}

function drawConnection() {
  const { state, until } = connection ?? { state: "connecting" };
  const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1000));
  document.body.dataset.connection = state;
  const text = t(state === "waiting" && !navigator.onLine ? "offline" : state, seconds);
  if ($("connection").textContent !== text) $("connection").textContent = text;
  $("again").hidden = state !== "replaced" && state !== "closed";
  draw();
}

// Drawing is idempotent, so that many changes in one turn cost one drawing.
let drawing = false;
function draw() {
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => { drawing = false; drawLists(); drawOpen(); drawNotifications(); markRead(); });
}

/** Replaces the rows of a list and gives the focus back to the row that had it. */
function fill(list, rows) {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  list.replaceChildren(...rows);
  if (focused) list.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}

function drawLists() {
  const known = [...chats.values()].filter(chat => chat.last).sort((a, b) => (b.last.at ?? "").localeCompare(a.last.at ?? ""));
  fill($("chats"), known.map(chat => row(chat, chat.typing ? t("typing") : (chat.last.from === user ? t("you") : "") + preview(chat.last))));
  const others = [...people.keys()].filter(id => id !== user && !chats.get(pairID(id))?.last);
  $("people-title").hidden = !others.length;
  fill($("people"), others.map(id => row(chatOf(pairID(id)), "")));
  document.title = (unreadChats ? `(${unreadChats}) ` : "") + "WatchWise";
  $("bell-count").hidden = !unseen;
  $("bell-count").textContent = unseen;
  $("bell").setAttribute("aria-label", t("notifications") + (unseen ? `, ${unseen} ${t("unread")}` : ""));
}

function row(chat, text) {
  const unread = chat.unread ?? 0;
  return element("li", {}, element("button", { type: "button", class: "person", "data-role": "chat", "data-chat": chat.id, "data-focus": chat.id,
    "data-unread": unread, "aria-current": chat === open, onclick: () => show(chat) },
  paint(element("span", { class: "avatar", "aria-hidden": "true" }), chat.peer ?? chat.id),
  element("span", { class: "grow" }, element("strong", {}, title(chat)), text ? element("small", {}, text) : null),
  chat.last?.at ? element("time", {}, moment(chat.last.at)) : null,
  unread ? element("span", { class: "badge", "data-role": "unread", "aria-label": `${unread} ${t("unread")}` }, String(unread)) : null));
}

function show(chat) {
  stopTyping();
  open = chat;
  document.body.dataset.open = Boolean(chat);
  $("messages").replaceChildren();
  if (chat && !chat.messages) loadHistory(chat);
  draw();
  if (chat) queueMicrotask(() => $("text").focus());
}

function drawOpen() {
  $("empty").hidden = Boolean(open);
  $("open").hidden = !open;
  if (!open) return;
  $("peer").textContent = title(open);
  $("peer-state").textContent = open.typing ? t("typing") : presence.has(open.peer) ? t(presence.get(open.peer) ? "online" : "away") : "";
  $("peer-state").dataset.typing = Boolean(open.typing);
  paint($("peer-avatar"), open.peer ?? open.id);
  const scroller = $("scroller");
  const fromEnd = scroller.scrollHeight - scroller.scrollTop;
  const atEnd = fromEnd - scroller.clientHeight < 60 || !$("messages").childElementCount;
  const stored = [...(open.messages?.values() ?? [])];
  $("earlier").hidden = !stored.length || stored[0].n <= 1;
  const mine = connection.saved.outbox.filter(({ command }) => (command.chat ?? pairID(command.to)) === open.id)
    .map(({ key, at, command, error }) => ({ key, at, from: user, text: command.text ?? command.note, product: command.product, error, pending: true }));
  let lastDay;
  const rows = [];
  for (const message of [...stored, ...mine]) {
    const thisDay = day(message.at);
    if (thisDay !== lastDay) rows.push(element("li", { class: "day" }, lastDay = thisDay));
    rows.push(bubble(message));
  }
  fill($("messages"), rows);
  scroller.scrollTop = atEnd ? scroller.scrollHeight : scroller.scrollHeight - fromEnd;
}

function stateOf(message) {
  if (message.error) return "failed";
  if (message.pending) return "pending";
  if (message.n <= open.peerRead) return "read";
  return message.n <= open.delivered ? "delivered" : "sent";
}

function bubble(message) {
  const mine = message.from === user;
  const state = mine ? stateOf(message) : null;
  const children = [];
  if (message.deleted) children.push(element("p", { class: "gone" }, t("deleted")));
  else {
    if (message.product) children.push(card(message, message.n <= (mine ? open.peerRead : open.read)));
    if (message.text ?? message.note) children.push(element("p", { "data-role": "message-text" }, message.text ?? message.note));
  }
  const facts = [open.peer || mine ? null : name(message.from), clock(message.at), message.edited ? t("edited") : null, state ? t(state) : null];
  const footer = element("footer", { "data-role": "message-state" }, facts.filter(Boolean).join(" · "));
  if (message.error) {
    footer.append(" ", element("button", { type: "button", title: message.error, "data-focus": message.key, onclick: () => { connection.settle(message.key); draw(); } }, t("remove")));
  }
  return element("li", { class: "message", "data-role": "message", "data-n": message.n, "data-mine": mine, "data-state": state }, ...children, footer);
}

function card({ product }, seen) {
  const label = product.title ?? product.id;
  const poster = element("span", { class: "poster", "aria-hidden": "true" }, label.slice(0, 1));
  poster.style.setProperty("--hue", hue(label));
  return element("div", { class: "card", "data-role": "card", "data-product": product.id, "data-seen": Boolean(seen) }, poster,
    element("div", {}, element("strong", {}, label), product.year ? element("span", {}, String(product.year)) : null,
      element("span", { class: "state" }, t(seen ? "seen" : "unseen"))));
}

const isSeen = notification => !unseen || Boolean(notification.seen ?? notification.seenAt);

function drawNotifications() {
  $("seen-all").hidden = !unseen;
  if ($("panel").hidden) return;
  const rows = notifications.map(one => element("li", { "data-role": "notification", "data-kind": one.kind, "data-seen": isSeen(one) },
    element("button", { type: "button", "data-focus": one.id, onclick: () => follow(one) }, one.title ?? one.kind),
    one.body ? element("p", {}, one.body) : null, element("time", {}, moment(one.at))));
  fill($("notifications"), rows.length ? rows : [element("li", {}, t("nothing"))]);
}

/** A notification leads to where it happened. */
function follow(notification) {
  const { from, user: other } = notification.data ?? {};
  markSeen([notification.id]);
  const peer = from ?? other;
  if (!people.has(peer)) return;
  togglePanel(false);
  show(chatOf(pairID(peer)));
}

function togglePanel(on) {
  $("panel").hidden = !on;
  $("bell").setAttribute("aria-expanded", on);
  drawNotifications();
  if (on) $("panel-close").focus();
}

// ---- What the person does ------------------------------------------------------------------------------------

const address = chat => chat.peer ? { to: chat.peer } : { chat: chat.id };
let typingSent = 0;
let typingEnds;

function stopTyping() {
  clearTimeout(typingEnds);
  if (open && typingSent) connection.tell({ type: "typing", chat: open.id, on: false });
  typingSent = 0;
}

function submit(command) {
  connection.write(command);
  $("messages").replaceChildren();  // one's own message is always scrolled into view
  draw();
}

function listen() {
  $("composer").addEventListener("submit", event => {
    event.preventDefault();
    const text = $("text").value.trim();
    if (!text || !open) return;
    $("text").value = "";
    stopTyping();
    submit({ type: "send", ...address(open), text });
  });
  $("text").addEventListener("keydown", event => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    $("composer").requestSubmit();
  });
  $("text").addEventListener("input", () => {
    if (!open?.last) return;
    if (Date.now() - typingSent > 3000) {
      typingSent = Date.now();
      connection.tell({ type: "typing", chat: open.id, on: true });
    }
    clearTimeout(typingEnds);
    typingEnds = setTimeout(stopTyping, 4000);
  });
  const earlier = () => { if (!$("earlier").hidden && open.messages.size) loadHistory(open, open.messages.keys().next().value); };
  $("earlier").addEventListener("click", earlier);
  $("scroller").addEventListener("scroll", () => { if ($("scroller").scrollTop < 20) earlier(); });
  $("back").addEventListener("click", () => show(null));
  $("again").addEventListener("click", () => connection.open());
  $("bell").addEventListener("click", () => togglePanel($("panel").hidden));
  $("panel-close").addEventListener("click", () => { togglePanel(false); $("bell").focus(); });
  $("seen-all").addEventListener("click", () => markSeen(notifications.filter(one => !isSeen(one)).map(one => one.id)));
  document.addEventListener("keydown", event => {
    if (event.key === "Escape" && !$("panel").hidden) { togglePanel(false); $("bell").focus(); }
  });
  document.addEventListener("visibilitychange", markRead);
  listenFilms();
}

function listenFilms() {
  const list = () => {
    const wanted = $("film-filter").value.trim().toLowerCase();
    $("film-list").replaceChildren(...films.filter(film => film.title.toLowerCase().includes(wanted)).map(film =>
      element("label", { "data-film": film.id }, element("input", { type: "radio", name: "film", value: film.id }), film.title, element("span", {}, String(film.year ?? "")))));
    $("film-send").disabled = true;
  };
  $("recommend").addEventListener("click", () => {
    $("film-filter").value = $("film-note").value = "";
    list();
    $("films").showModal();
  });
  $("film-filter").addEventListener("input", list);
  $("film-list").addEventListener("change", () => { $("film-send").disabled = false; });
  $("films-close").addEventListener("click", () => $("films").close());
  $("films").querySelector("form").addEventListener("submit", () => {
    const film = films.find(one => one.id === document.querySelector("[name=film]:checked")?.value);
    const note = $("film-note").value.trim();
    if (film && open?.peer) submit({ type: "recommend", to: open.peer, product: film, ...(note && { note }) });
  });
}

/** Without a user: two of them side by side. */
function showPanes() {
  const pair = ["anna", "marco"];
  const href = one => "demo?user=" + one;
  $("panes").hidden = false;
  $("panes").append(...pair.map(one => element("a", { href: href(one), target: "_blank" }, t("alone", one[0].toUpperCase() + one.slice(1)))));
  $("panes").append(...pair.map(one => element("iframe", { src: href(one), title: one, "data-user": one })));
}

document.documentElement.lang = locale;
if (!user) return showPanes();
$("app").hidden = false;
listen();
translate();
connection.open();
})();
