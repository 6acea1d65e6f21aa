"use strict";
// The page of an application's demo: somebody's inbox beside the documents that it tells of, both live.
(() => {
const { user, device } = Object.fromEntries(new URLSearchParams(location.search));

// English, Italian, Polish, Greek.
const words = {
  notifications: ["Notifications", "Notifiche", "Powiadomienia", "Ειδοποιήσεις"],
  documents: ["Documents", "Documenti", "Dokumenty", "Έγγραφα"],
  seenAll: ["All seen", "Tutte viste", "Widziane", "Τα είδα"],
  connected: ["Connected", "Connesso", "Połączono", "Συνδεδεμένο"],
  connecting: ["Connecting …", "Connessione in corso …", "Łączenie …", "Σύνδεση …"],
  waiting: ["Reconnecting …", "Nuovo tentativo …", "Ponowne łączenie …", "Επανασύνδεση …"],
  replaced: ["Open in another window", "Aperto in un’altra finestra", "Otwarte w innym oknie", "Ανοιχτό σε άλλο παράθυρο"],
  closed: ["Disconnected", "Disconnesso", "Rozłączono", "Αποσυνδεδεμένο"],
  again: ["Connect here", "Connetti qui", "Połącz tutaj", "Σύνδεση εδώ"],
  nothing: ["Nothing new.", "Nessuna novità.", "Nic nowego.", "Τίποτα νέο."],
  none: ["None yet.", "Ancora nessuno.", "Jeszcze nic.", "Κανένα ακόμη."],
  done: ["Done", "Fatto", "Zrobione", "Έγινε"], undo: ["Again", "Riapri", "Wznów", "Ξανά"],
  passive: ["quiet", "silenziosa", "cicha", "αθόρυβη"], active: ["active", "attiva", "aktywna", "ενεργή"],
  "time-sensitive": ["time-sensitive", "urgente", "pilna", "επείγουσα"],
  critical: ["critical", "critica", "krytyczna", "κρίσιμη"],
  retracted: ["withdrawn", "ritirata", "wycofana", "αποσύρθηκε"], expired: ["expired", "scaduta", "wygasła", "έληξε"],
  updated: ["updated, no sound", "aggiornata, senza suono", "zaktualizowana, bez dźwięku", "ενημερώθηκε, χωρίς ήχο"],
  silent: ["no sound", "senza suono", "bez dźwięku", "χωρίς ήχο"],
};
const languages = ["en", "it", "pl", "el"];
let locale = "en";
const t = word => words[word]?.[Math.max(0, languages.indexOf(locale.slice(0, 2)))] ?? word;

/** How long what goes or comes shows that it does. */
const lingering = 5000;
let stage = { title: "", watch: [], people: [] };
let notifications = [];
let unread = 0;
const gone = new Map();
const fresh = new Map();
/** By collection, and in it by path. */
const documents = new Map();

const connection = makeConnection(user, {
  get locale() { return locale; },
  changed: () => draw(),
  began(session) {
    stage = session;
    locale = session.people.find(person => person.id === user)?.locale ?? "en";
    document.documentElement.lang = locale;
    for (const one of document.querySelectorAll("[data-t]")) one.textContent = t(one.dataset.t);
    for (const one of document.querySelectorAll("[data-label]")) one.ariaLabel = t(one.dataset.label);
  },
  welcomed(ok) {
    unread = ok.unread?.notifications ?? unread;
    notifying.welcomed(ok);
  },
  reset() {},
  live() {
    for (const path of stage.watch) watch(path.replace("{user}", user));
    refresh();
    notifying.live();
  },
  take,
  moved: () => refresh(),
}, `watchwise:${user}:${device}`, device);

const notifying = makeNotifying(connection, user, {
  get locale() { return locale; },
  say: text => say(text),
  opened: id => markSeen({ ids: [id] }),
});

async function watch(path) {
  try {
    const answer = await connection.request({ type: "watch", path });
    documents.set(path, new Map(answer.documents.map(one => [one.path, one])));
  } catch (error) {
    if (error.class === "permanent") say(error.message);
  }
  draw();
}

function take(event) {
  if (event.type === "document") {
    const collection = documents.get(event.path.slice(0, event.path.lastIndexOf("/")));
    if (event.data === null) collection?.delete(event.path);
    else collection?.set(event.path, event);
  } else if (event.type === "unread") unread = event.notifications;
  else if (event.type === "notification") fresh.set(event.id, Date.now());
  else if (event.type === "notification.removed" && event.reason !== "replaced") {
    const old = notifications.find(one => one.id === event.id);
    if (old) gone.set(event.id, { ...old, reason: event.reason, since: Date.now() });
  }
  draw();
}

/** Asks for what is absolute: once for many events, which only say that something changed. */
let refreshing;
function refresh() {
  refreshing ??= setTimeout(async () => {
    refreshing = undefined;
    if (connection.state !== "connected") return;
    connection.tell({ type: "ack", seq: connection.saved.since?.seq });
    try {
      const answer = await connection.request({ type: "notifications", limit: 50 });
      notifications = answer.notifications;
      unread = answer.unread;
      notifying.close(({ id }) => id && !notifications.some(one => one.id === id && !one.seen));
    } catch (error) { setTimeout(refresh, error.retryAfterMs ?? 1000); }
    draw();
  }, 100);
}

function markSeen(what) {
  connection.request({ type: "seen", ...what, key: newKey() }).then(refresh, error => error.message && say(error.message));
}

function setDone({ path, version }, done) {
  connection.request({ type: "patch", path, data: { done, column: done ? "done" : "todo" }, ifVersion: version, key: newKey() })
    .catch(error => error.message && say(error.message));
}

// ---- View ------------------------------------------------------------------------------------------------------

let alertEnds;
function say(text) {
  write("alert", text);
  $("alert").hidden = false;
  clearTimeout(alertEnds);
  alertEnds = setTimeout(() => { $("alert").hidden = true; }, 5000);
}

let drawing = false;
function draw() {  // once a turn, however many changes
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    const name = stage.people.find(person => person.id === user)?.name ?? user;
    document.body.dataset.connection = connection.state;
    document.title = (unread ? `(${unread}) ` : "") + (stage.title || "WatchWise");
    write("me", device ? `${name} · ${device}` : name);
    write("me-avatar", name.slice(0, 1).toUpperCase());
    write("connection", t(connection.state));
    write("title", stage.title);
    write("count", String(unread));
    tint($("me-avatar"), user);
    $("count").hidden = $("seen-all").hidden = !unread;
    $("again").hidden = connection.state !== "replaced" && connection.state !== "closed";
    drawNotes();
    drawDocuments();
  });
}

function drawNotes() {
  const now = Date.now();
  for (const [id, { since }] of gone) if (now - since > lingering) gone.delete(id);
  for (const [id, since] of fresh) if (now - since > lingering) fresh.delete(id);
  const all = [...notifications.filter(one => !gone.has(one.id)), ...gone.values()]
    .sort((one, other) => other.at.localeCompare(one.at));
  fill($("list"), all.length ? all.map(note) : [element("li", { class: "nothing" }, t("nothing"))]);
}

function note({ id, level, title, body, at, seen, alert, reason, since }) {
  const manner = since ? t(reason) : alert === false ? t(reason in words ? reason : "silent") : "";
  return element("li", {
    class: "note", "data-id": id, "data-level": level, "data-seen": Boolean(seen), "data-gone": since && reason,
    "data-fresh": fresh.has(id) && !since ? "" : undefined, click: () => markSeen({ ids: [id] }),
  },
    element("header", {}, element("b", {}, t(level)), manner, element("time", {}, moment(at, locale))),
    element("strong", {}, title), body ? element("p", {}, body) : "");
}

function drawDocuments() {
  const all = stage.watch.flatMap(path => [...documents.get(path.replace("{user}", user))?.values() ?? []]);
  fill($("documents"), all.length ? all.map(card) : [element("li", { class: "nothing" }, t("none"))]);
}

function card(shown) {
  const { path, version, data: { title, name, ...rest } } = shown;
  const facts = Object.entries(rest).filter(([key, value]) => key !== "done" && value !== null && typeof value !== "object");
  return element("li", { class: "document", "data-path": path, "data-version": version },
    element("div", {}, element("strong", {}, title ?? name ?? path.split("/").at(-1)),
      typeof rest.done === "boolean"
        ? element("button", { type: "button", class: rest.done ? "quiet" : "primary", "data-id": path, click: () => setDone(shown, !rest.done) },
          t(rest.done ? "undo" : "done"))
        : ""),
    element("small", {}, path),
    element("dl", {}, ...facts.map(([key, value]) =>
      element("div", {}, element("dt", {}, key), element("dd", {}, worded(value))))));
}

/** A time of the log is shown as a clock shows it; everything else as it is. */
const worded = value => /^\d{4}-\d\d-\d\dT.*Z$/.test(value) ? moment(value, locale) : String(value);

if (!user) return showPanes(({ title, panes }, name) => {
  document.title = title;
  return panes.map(pane => ({
    title: `${title}: ${name(pane.user)} · ${pane.device}`, query: new URLSearchParams(pane).toString(),
  }));
});
$("inbox").hidden = false;
$("again").addEventListener("click", () => connection.open());
$("seen-all").addEventListener("click", () => markSeen({ upTo: connection.saved.since?.seq }));
notifying.listen();
addEventListener("online", () => connection.state === "waiting" && connection.open());
setInterval(() => connection.tick(), 1000);
connection.open();
})();
