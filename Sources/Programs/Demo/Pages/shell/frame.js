// The frame of every application: where one is, where one can go, how the connection stands, and what waits.

import { h, place, drawWith, changed } from "./dom.js";
import { here, personOf, watchOnline } from "./here.js";
import { t } from "./words.js";
import { face, sign } from "./drawn.js";
import { drawInbox } from "./inbox.js";
import { drawSettings } from "./settings.js";

/** Where one is: `#chats/anna:marco` is `["chats", "anna:marco"]`. */
export const route = () => location.hash.slice(1).split("/").map(decodeURIComponent);

/** The address of a place. */
export const to = (...parts) => `#${parts.map(part => encodeURIComponent(part).replaceAll("%3A", ":")).join("/")}`;

/** Goes there; `silently` without a step in the history. */
export function go(...parts) {
  location.hash = to(...parts);
}

/** Replaces where one is. */
export function goInstead(...parts) {
  history.replaceState(null, "", location.pathname + location.search + to(...parts));
  changed();
}

/** What the connection says of itself: nothing as long as it is as it should be. */
function connectionText() {
  const { name, until } = here.state;
  if (name === "waiting") return t("state.waiting", { n: Math.max(0, Math.ceil((until - Date.now()) / 1000)) });
  return t(`state.${name}`);
}

function connectionRow() {
  const { name } = here.state;
  const waiting = here.outbox.filter(entry => entry.state !== "failed").length;
  const isOver = ["signed-out", "blocked", "closed"].includes(name);
  return h("div", { class: "connection", "data-state": name },
    h("p", { id: "connection", role: "status" }, connectionText(), waiting && name !== "live" ? ` · ${t("waitingWrites", { n: waiting })}` : ""),
    (name === "waiting" || isOver) && h("button", { type: "button", id: "again", class: "quiet small",
      click: () => isOver ? location.reload() : here.ww.connect() }, t("connectNow")));
}

/** The picture of a person, with a dot when the person is online. */
export function avatar(id, properties = {}) {
  const profile = here.profileOf?.(id);
  return h("span", { class: "avatar", "data-online": here.online.get(id) === true, ...properties }, face(id, profile?.picture ?? 0));
}

/** Characters that turn the direction of what follows: a name must not turn the text around it. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** The name of a person, as the profile says it. */
export const nameOf = id => (here.profileOf?.(id)?.name ?? personOf(id)?.name ?? id).replace(TURNS, "");

/** The title of a page, which has the focus when one comes to it. */
export const pageTitle = (text, ...more) => h("header", { class: "pageTitle" }, h("h1", { tabindex: "-1" }, text), ...more);

/** What is shown where there is nothing yet, and what to do about it. */
export const emptyState = (text, ...more) => h("div", { class: "nothing" }, h("p", {}, text), ...more);

/** The mark of what waits to be sent. */
export function pendingMark(item) {
  if (!item?.pending) return null;
  const isStuck = ["failed", "blocked", "uncertain"].includes(item.pending);
  return h("span", { class: "pending", "data-pending": item.pending, title: t(isStuck ? "pending.stuck" : "pending.waits") },
    sign(isStuck ? "alert" : "clock"), h("span", { class: "unseen" }, t(isStuck ? "pending.stuck" : "pending.waits")));
}

/** A button that follows a topic, and shows that it does. `what` is its name, which is shown where it stands alone. */
export function followButton(topic, what, act, { isAlone = false } = {}) {
  const row = here.topics.get(topic);
  return h("button", { type: "button", class: row ? "follow on" : "follow", "data-topic": topic, "aria-pressed": row ? "true" : "false",
    "aria-label": `${t(row ? "following" : "follow")}: ${what}`, click: () => act(topic, !row) },
    sign(row ? "check" : "plus"), isAlone ? `${t(row ? "following" : "follow")}: ${what}` : t(row ? "following" : "follow"), pendingMark(row));
}

function navigation(app, [at]) {
  const tabs = [...app.tabs(), { id: "inbox", sign: "bell", label: t("tab.inbox"), count: here.unread.notifications, counts: "bell-count" },
    { id: "settings", sign: "gear", label: t("tab.settings") }];
  const one = tab => h("a", { href: to(tab.id), class: "tab", key: tab.id, id: tab.id === "inbox" ? "bell" : `tab-${tab.id}`,
    "aria-current": at === tab.id ? "page" : undefined, title: tab.label },
    h("span", { class: "tabSign" }, sign(tab.sign), h("span", { class: "badge", id: tab.counts, hidden: !tab.count, "aria-hidden": "true" },
      String(tab.count || 0))),
    h("span", { class: "tabLabel" }, tab.label), tab.count ? h("span", { class: "unseen" }, t("newCount", { n: tab.count })) : null);
  return h("nav", { class: "rail", "aria-label": t("navigation") },
    h("div", { class: "brand" }, h("span", { class: "logo" }, sign(app.sign)), h("span", { class: "brandName" }, here.stage.title)),
    h("div", { class: "tabs" }, tabs.map(one)),
    h("a", { class: "me", href: to(app.tabs().some(tab => tab.id === "people") ? "user" : "settings",
      ...(app.tabs().some(tab => tab.id === "people") ? [here.user] : [])), "aria-label": `${t("you")}: ${nameOf(here.user)}` },
      avatar(here.user), h("span", { class: "meName" }, h("strong", { id: "me" }, nameOf(here.user)),
        here.device ? h("small", {}, here.device) : null)));
}

function banner() {
  const stuck = here.outbox.filter(entry => entry.state === "failed" || entry.state === "uncertain");
  return [
    here.storage && h("p", { class: "banner", role: "status" }, t(`storage.${here.storage.state}`)),
    stuck.length > 0 && h("p", { class: "banner", role: "status" }, t("stuck", { n: stuck.length }), " ", h("a", { href: to("settings") }, t("stuckLook"))),
  ].filter(Boolean);
}

/** Begins to draw an application: `tabs()`, `draw(route)`, and what it is asked for by default, `first`. */
export function run(app) {
  const root = document.getElementById("root");
  let before = null;
  drawWith(() => {
    const at = route();
    if (at[0] === "") return goInstead(app.first);
    watchOnline(app.people?.() ?? []);
    const made = at[0] === "inbox" ? drawInbox(app) : at[0] === "settings" ? drawSettings(app) : app.draw(at);
    const { notifications } = here.unread;
    document.title = (notifications ? `(${notifications}) ` : "") + here.stage.title;
    document.documentElement.dataset.app = here.stage.app;
    place(root, h("div", { class: "app", "data-at": at[0] },
      h("a", { href: "#main", class: "skip", click: event => { event.preventDefault(); document.getElementById("main").focus(); } }, t("skip")),
      navigation(app, at),
      h("div", { class: "page" }, connectionRow(), ...banner(), h("main", { id: "main", tabindex: "-1", "data-page": at[0], key: at[0] }, made))));
    const now = at.join("/");
    if (before !== null && before !== now) arrive(app, before.split("/")[0] !== at[0]);
    before = now;
    app.drawn?.(at);
  });
  for (const event of ["hashchange", "resize"]) addEventListener(event, changed);
}

/** One has come to another page: it begins at its top, and those who hear it hear its title. */
function arrive(app, isOther) {
  const main = document.getElementById("main");
  if (isOther) main.scrollTop = 0;
  if (!app.keepsFocus?.(route())) main.querySelector("h1")?.focus({ preventScroll: true });
}
