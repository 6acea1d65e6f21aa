"use strict";
// The film network's page, one user's chats: the state, which copies what the server says and never counts, and the
// view. The connection stands in connection.js.
(() => {
const user = new URLSearchParams(location.search).get("user");

const words = {
  chats: ["Chats", "Chat"], people: ["People", "Persone"], notifications: ["Notifications", "Notifiche"],
  seenAll: ["Mark all seen", "Segna come viste"], close: ["Close", "Chiudi"], back: ["Back", "Indietro"],
  choose: ["Choose a conversation.", "Scegli una conversazione."], messages: ["Messages", "Messaggi"],
  earlier: ["Earlier messages", "Messaggi precedenti"], recommend: ["Recommend a film", "Consiglia un film"],
  write: ["Message", "Messaggio"], send: ["Send", "Invia"], note: ["A note, if you like", "Una nota, se vuoi"],
  cancel: ["Cancel", "Annulla"], advise: ["Recommend", "Consiglia"],
  connected: ["Connected", "Connesso"], connecting: ["Connecting …", "Connessione in corso …"],
  waiting: ["Reconnecting in %s s", "Nuovo tentativo fra %s s"], offline: ["Offline, next try in %s s", "Offline, nuovo tentativo fra %s s"],
  replaced: ["Open in another window", "Aperto in un’altra finestra"], closed: ["Disconnected", "Disconnesso"],
  again: ["Connect here", "Connetti qui"], online: ["online", "online"], away: ["offline", "offline"],
  typing: ["is writing …", "sta scrivendo …"], pending: ["Waiting", "In attesa"], sent: ["Sent", "Inviato"],
  delivered: ["Delivered", "Consegnato"], read: ["Read", "Letto"], failed: ["Not sent", "Non inviato"],
  edited: ["edited", "modificato"], deleted: ["This message was deleted.", "Questo messaggio è stato eliminato."],
  seen: ["Seen", "Visto"], unseen: ["Not seen yet", "Non ancora visto"], nothing: ["Nothing new.", "Nessuna novità."],
  you: ["You: ", "Tu: "], unread: ["unread", "da leggere"],
};
let locale = navigator.language.startsWith("it") ? "it" : "en-GB";
const t = (word, value) => words[word][locale === "it" ? 1 : 0].replace("%s", value);

// ---- Connection ----------------------------------------------------------------------------------------------

const connection = makeConnection(user, {
  get locale() { return locale; },
  changed(state) {
    if (state !== "connected") presence.clear();
    draw();
  },
  began(session) {
    films = session.films;
    for (const person of session.people) people.set(person.id, person);
    locale = people.get(user)?.locale.startsWith("it") ? "it" : "en-GB";
    translate();
  },
  welcomed(ok) {
    unread = ok.unread ?? unread;
    notifying.welcomed(ok);
  },
  reset() { for (const chat of chats.values()) Object.assign(chat, unknown); },
  live() {
    pump();
    refresh();
    notifying.live();
  },
  take: message => take(message),
  moved: () => refresh(),
});
const { saved, save } = connection;

const notifying = makeNotifying(connection, user, {
  get locale() { return locale; },
  get chat() { return open?.id; },
  say: text => say("alert", text),
  opened: (id, chat) => arrive(id, chat),
});

let pumping = false;
/** Writes leave one by one, in order; each is repeated with its key until it is answered. */
async function pump() {
  if (pumping) return;
  pumping = true;
  while (connection.state === "connected" && saved.outbox.length) {
    const [entry] = saved.outbox;
    try {
      const ok = await connection.request({ ...entry.command, key: entry.key });
      connection.settle(entry.key);
      put({ ...shown(entry), ...ok });
    } catch (error) {
      if (error.class === "permanent") {
        connection.settle(entry.key);
        say("alert", t("failed") + ": " + (error.message || error.code));
        $("text").value ||= shown(entry).text ?? "";  // to be mended and sent again
      } else if (error.class === "auth") connection.lost(4401);
      else if (connection.socket) await new Promise(done => setTimeout(done, error.retryAfterMs ?? 500 + Math.random() * 1500));
    }
    draw();
  }
  pumping = false;
}

// ---- State ---------------------------------------------------------------------------------------------------

const chats = new Map();
const people = new Map();
const presence = new Map();
let films = [];
let notifications = [];
let unread = { chats: 0, notifications: 0 };
let open = null;

const name = id => people.get(id)?.name ?? id;
const title = chat => chat.title ?? name(chat.peer ?? chat.id);
const pair = peer => [user, peer].sort().join(":");
const newest = chat => Math.max(0, ...chat.messages?.keys() ?? []);
const shown = ({ at, command: { chat, to, text, note, product } }) => ({ at, from: user, chat: chat ?? pair(to), text: text ?? note, product });

const unknown = { read: 0, asked: 0, peerRead: 0, delivered: 0, unread: 0, typingUntil: 0, last: null, messages: null };
function chatOf(id) {
  const peer = id.startsWith("room:") ? null : id.split(":").find(one => one !== user);
  if (!chats.has(id)) chats.set(id, { id, peer, ...unknown });
  return chats.get(id);
}

function take(event) {
  const { type, chat: id, n, seq } = event;
  const chat = id && chatOf(id);
  const mine = (event.user ?? event.from) === user;
  if (type === "message") {
    put(event);
    if (!mine) chat.typingUntil = 0;
    if (!mine && chat === open) say("announce", name(event.from) + ": " + preview(event));
  } else if (type === "message.edited" || type === "message.deleted" || type === "reaction") {
    chat.messages = null;  // read again, as they are now
    refresh();
  } else if (type === "read") raise(chat, mine ? "read" : "peerRead", n);
  else if (type === "delivered" && !mine) raise(chat, type, n);
  else if (type === "typing" && !mine) chat.typingUntil = event.on ? Date.now() + 6000 : 0;
  else if (type === "unread") {
    unread = { chats: event.chats, notifications: event.notifications };
    refresh();
  } else if (type === "presence") presence.set(event.user, event.online);
  else if (type === "notification") say("announce", event.title);
  draw();
}

function raise(chat, mark, n) {
  chat[mark] = Math.max(chat[mark], n ?? 0);
}

function put(message) {
  const chat = chatOf(message.chat);
  if (message.n >= (chat.last?.n ?? 0)) chat.last = message;
  if (chat.messages && message.n > newest(chat) + 1) return load(chat);  // numbers have no gaps: something is missing
  chat.messages?.set(message.n, message);
}

/** Asks for what is absolute, the counts above all: once for many events, which only say that something changed. */
let refreshing;
function refresh() {
  refreshing ??= setTimeout(async () => {
    refreshing = undefined;
    if (connection.state !== "connected") return;
    connection.tell({ type: "ack", seq: saved.since?.seq });
    if (open && !open.messages) load(open);
    try {
      await Promise.all([refreshChats(), refreshNotifications()]);
      greet();
      notifying.close(isOver);
    } catch (error) { setTimeout(refresh, error.retryAfterMs ?? 1000); }
    draw();
  }, 100);
}

async function refreshChats() {
  const answer = await connection.request({ type: "chats", limit: 200 });
  for (const row of answer.chats) {
    const chat = chatOf(row.chat);
    raise(chat, "read", row.read);
    raise(chat, "peerRead", row.peerRead);
    Object.assign(chat, { title: row.title, unread: row.unread, last: row.last ?? chat.last });
  }
  const watch = [...chats.values()].filter(chat => chat.peer && chat.last).map(chat => chat.peer).slice(0, 200);
  if (watch.every(peer => presence.has(peer))) return;
  for (const peer of watch) presence.set(peer, false);
  const { online } = await connection.request({ type: "presence", watch });
  for (const peer of online) presence.set(peer.user ?? peer, true);
}

async function refreshNotifications() {
  const answer = await connection.request({ type: "notifications", limit: 50 });
  notifications = answer.notifications;
  unread = { ...unread, notifications: answer.unread };
}

async function load(chat, before) {
  if (chat.loading) return;
  chat.loading = true;
  try {
    const { messages } = await connection.request({ type: "history", chat: chat.id, limit: 50, ...(before && { before }) });
    const known = before || messages.some(({ n }) => n <= newest(chat) + 1) ? chat.messages ?? [] : [];
    chat.messages = new Map([...known, ...messages.map(one => [one.n, one])].sort(([a], [b]) => a - b));
  } catch (error) {
    if (error.class === "permanent") chat.messages ??= new Map();  // nobody has begun this chat
    else if (!before) chat.messages = null, setTimeout(refresh, error.retryAfterMs ?? 1000);
  }
  chat.loading = false;
  draw();
}

/** What is on the screen is read. */
function markRead() {
  if (!open?.messages || document.visibilityState !== "visible" || connection.state !== "connected") return;
  const chat = open;
  const n = Math.max(0, ...[...chat.messages.values()].filter(one => one.from !== user).map(one => one.n));
  if (n <= Math.max(chat.read, chat.asked)) return;
  chat.asked = n;
  connection.request({ type: "read", chat: chat.id, n, key: newKey() }).then(() => raise(chat, "read", n), error => {
    if (error.class !== "permanent") chat.asked = 0;
  });
}

/** `what` is single ids, or everything up to a position: a list of ids fails whole when one of them is gone meanwhile. */
function markSeen(what) {
  connection.request({ type: "seen", ...what, key: newKey() }).then(refresh, error => error.message && say("alert", error.message));
}

// ---- View: text enters only as text ---------------------------------------------------------------------------

function avatar(made, id) {
  made.textContent = name(id).slice(0, 1).toUpperCase();
  made.dataset.online = presence.get(id) === true;
  return tint(made, id);
}

const preview = ({ product, text = "–" }) => product ? "Film: " + (product.title ?? product.id) : text;

let alertEnds;
function say(where, text) {
  $(where).textContent = text;
  if (where !== "alert") return;
  $("alert").hidden = false;
  clearTimeout(alertEnds);
  alertEnds = setTimeout(() => { $("alert").hidden = true; }, 5000);
}

function translate() {
  document.documentElement.lang = locale.slice(0, 2);
  for (const one of document.querySelectorAll("[data-t]")) one.textContent = t(one.dataset.t);
  for (const one of document.querySelectorAll("[data-label]")) one.ariaLabel = one.placeholder = t(one.dataset.label);
  draw();
}

let drawing = false;
function draw() {  // once a turn, however many changes
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    drawConnection();
    drawLists();
    if (open) drawOpen();
    drawNotifications();
    markRead();
    notifying.look();
  });
}

function drawConnection() {
  const { state, until } = connection;
  document.body.dataset.connection = state;
  write("me", name(user));
  avatar($("me-avatar"), user);
  connection.text = t(state === "waiting" && !navigator.onLine ? "offline" : state, Math.max(1, Math.ceil((until - Date.now()) / 1000)));
  write("connection", connection.text);
  $("again").hidden = state !== "replaced" && state !== "closed";
}

/** The chats in which something was said, the newest first. */
const begun = () => [...chats.values()].filter(chat => chat.last).sort((a, b) => b.last.at.localeCompare(a.last.at));

function drawLists() {
  const rows = begun();
  const others = [...people.keys()].filter(id => id !== user && !rows.some(chat => chat.peer === id));
  fill($("chats"), rows.map(row));
  fill($("people"), others.map(id => row(chatOf(pair(id)))));
  $("people-title").hidden = !others.length;
  document.title = (unread.chats ? `(${unread.chats}) ` : "") + "WatchWise";
}

const isTyping = chat => chat.typingUntil > Date.now() && connection.state === "connected";

function row(chat) {
  const { id, peer, last, unread } = chat;
  const line = isTyping(chat) ? t("typing") : last ? (last.from === user ? t("you") : "") + preview(last) : "";
  return element("li", {},
    element("button", { type: "button", class: "person", "data-chat": id, "data-id": id, "data-unread": unread, "aria-current": chat === open, click: () => show(chat) },
      avatar(element("span", { class: "avatar" }), peer ?? id),
      element("span", { class: "grow" }, element("strong", {}, title(chat)), element("small", {}, line)),
      last ? element("time", {}, moment(last.at, locale)) : "",
      unread ? element("span", { class: "badge", title: t("unread") }, String(unread)) : ""));
}

/** The newest conversation is open from the beginning; who goes back to the list stays there. */
let isGreeted = false;
function greet() {
  if (isGreeted) return;
  isGreeted = true;
  const [first] = begun();
  if (first && !open) show(first, false);
}

function show(chat, isAsked = true) {
  isGreeted = true;
  stopTyping();
  open = chat;
  document.body.dataset.open = $("empty").hidden = Boolean(chat);
  $("open").hidden = !chat;
  fill($("messages"), []);
  if (!chat) return draw();
  if (!chat.messages) load(chat);
  draw();
  if (isAsked) $("text").focus();
}

function drawOpen() {
  const { peer } = open;
  write("peer", title(open));
  const about = isTyping(open) ? t("typing") : presence.has(peer) ? t(presence.get(peer) ? "online" : "away") : "";
  write("peer-state", connection.state === "connected" ? about : connection.text);
  $("peer-state").dataset.typing = isTyping(open);
  $("recommend").hidden = !peer;
  avatar($("peer-avatar"), peer ?? open.id);
  const scroller = $("scroller");
  const fromEnd = scroller.scrollHeight - scroller.scrollTop;
  const atEnd = fromEnd - scroller.clientHeight < 60 || !$("messages").childElementCount;
  const stored = [...open.messages?.values() ?? []];
  $("earlier").hidden = !stored.length || stored[0].n <= 1;
  fill($("messages"), [...stored, ...saved.outbox.map(shown).filter(one => one.chat === open.id)].map(bubble));
  scroller.scrollTop = atEnd ? scroller.scrollHeight : scroller.scrollHeight - fromEnd;
}

function bubble({ n, from, at, text, product, editedAt, deleted, reactions = [] }) {
  const mine = from === user;
  const isRead = n <= (mine ? open.peerRead : open.read);
  const state = !mine ? "received" : !n ? "pending" : isRead ? "read" : n <= open.delivered ? "delivered" : "sent";
  const facts = [mine || open.peer ? "" : name(from), moment(at, locale), editedAt && !deleted ? t("edited") : "", mine ? t(state) : "",
    ...reactions.map(one => one.emoji + (one.count > 1 ? " " + one.count : ""))].filter(Boolean);
  return element("li", { class: "message", "data-n": n, "data-mine": mine, "data-state": state },
    product ? card(product, isRead) : "", text || !product ? element("p", {}, deleted ? t("deleted") : text ?? "–") : "", element("footer", {}, facts.join(" · ")));
}

function card({ id, title = id, year = "" }, seen) {
  return element("div", { class: "card", "data-product": id, "data-seen": seen },
    tint(element("span", { class: "poster" }, title.slice(0, 1)), id),
    element("div", {}, element("strong", {}, title), element("small", {}, String(year)), element("small", {}, t(seen ? "seen" : "unseen"))));
}

const isSeen = ({ seen, seenAt }) => !unread.notifications || Boolean(seen ?? seenAt);

function drawNotifications() {
  const number = unread.notifications;
  write("bell-count", String(number));
  $("bell-count").hidden = $("seen-all").hidden = !number;
  $("bell").ariaLabel = t("notifications") + (number ? `, ${number} ${t("unread")}` : "");
  const rows = notifications.map(one => element("li", { "data-kind": one.kind, "data-seen": isSeen(one) },
    element("button", { type: "button", "data-id": one.id, click: () => follow(one) }, one.title ?? one.kind),
    element("p", {}, one.body ?? ""), element("time", {}, moment(one.at, locale))));
  fill($("notifications"), rows.length ? rows : [element("li", {}, t("nothing"))]);
}

/** A notification leads to where it happened. */
function follow({ id, data }) {
  const peer = data?.from ?? data?.user;
  markSeen({ ids: [id] });
  if (!people.has(peer)) return;
  togglePanel(false);
  show(chatOf(pair(peer)));
}

/** A click on a notification of the computer leads there, too. */
async function arrive(id, chat) {
  if (chat) return show(chatOf(chat));
  try { follow(await connection.request({ type: "notification", notification: id })); } catch { togglePanel(true); }
}

/** Whether a notification of the computer is about something that was read or seen, or is gone. */
const isOver = ({ id, chat, n }) => chat && n ? chatOf(chat).read >= n : id && !notifications.some(one => one.id === id && !isSeen(one));

function togglePanel(shown) {
  $("panel").hidden = !shown;
  $("bell").ariaExpanded = shown;
  $(shown ? "panel-close" : "bell").focus();
}

// ---- What the person does --------------------------------------------------------------------------------------

let typingSince = 0;
let typingEnds;
function stopTyping() {
  clearTimeout(typingEnds);
  if (open && typingSince) connection.tell({ type: "typing", chat: open.id, on: false });
  typingSince = 0;
}

function typed() {
  if (!open.last) return;
  if (Date.now() - typingSince > 3000) {
    typingSince = Date.now();
    connection.tell({ type: "typing", chat: open.id, on: true });
  }
  clearTimeout(typingEnds);
  typingEnds = setTimeout(stopTyping, 4000);
}

function submit(command) {
  stopTyping();
  saved.outbox.push({ key: newKey(), at: new Date().toISOString(), command: { ...(open.peer ? { to: open.peer } : { chat: open.id }), ...command } });
  save();
  fill($("messages"), []);  // one's own message is always scrolled into view
  draw();
  pump();
}

function listen() {
  const when = (id, event, act) => $(id).addEventListener(event, act);
  const earlier = () => { if (!$("earlier").hidden) load(open, open.messages.keys().next().value); };
  when("composer", "submit", event => {
    event.preventDefault();
    const text = $("text").value.trim();
    $("text").value = "";
    if (text) submit({ type: "send", text });
  });
  when("text", "keydown", event => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    $("composer").requestSubmit();
  });
  when("text", "input", typed);
  when("earlier", "click", earlier);
  when("scroller", "scroll", () => { if ($("scroller").scrollTop < 20) earlier(); });
  when("back", "click", () => show(null));
  when("again", "click", () => connection.open());
  when("bell", "click", () => togglePanel($("panel").hidden));
  when("panel-close", "click", () => togglePanel(false));
  when("seen-all", "click", () => markSeen({ upTo: saved.since?.seq }));
  when("recommend", "click", () => {
    $("film-note").value = "";
    $("film-send").disabled = true;
    $("film-list").replaceChildren(...films.map(({ id, title, year = "" }) =>
      element("label", {}, element("input", { type: "radio", name: "film", value: id }), title, element("small", {}, String(year)))));
    $("films").showModal();
  });
  when("film-list", "change", () => { $("film-send").disabled = false; });
  when("films-close", "click", () => $("films").close());
  when("films", "submit", () => {
    const product = films.find(film => film.id === document.querySelector("[name=film]:checked")?.value);
    const note = $("film-note").value.trim();
    if (product) submit({ type: "recommend", product, ...(note && { note }) });
  });
  document.addEventListener("keydown", ({ key }) => { if (key === "Escape" && !$("panel").hidden) togglePanel(false); });
  document.addEventListener("visibilitychange", markRead);
  addEventListener("online", () => connection.state === "waiting" && connection.open());
  notifying.listen();
  setInterval(() => connection.tick(), 1000);
}

if (!user) return showPanes(({ players }, name) => players.map(one => ({ title: name(one), query: "user=" + one })));
$("app").hidden = false;
document.body.dataset.open = false;
listen();
translate();
connection.open();
})();
