// The inbox: what happened, at which level, whether it was seen, and what was taken back.

import { h } from "./dom.js";
import { here, doing, announce } from "./here.js";
import { t, has, timeOf } from "./words.js";
import { pageTitle, emptyState } from "./frame.js";
import { sign } from "./drawn.js";

/** The notifications with those that were just withdrawn, the newest first. */
export function allNotes() {
  const gone = [...here.gone.values()];
  const ids = new Set(gone.map(one => one.id));
  return [...here.inbox.filter(one => !ids.has(one.id)), ...gone].sort((one, other) => other.at.localeCompare(one.at));
}

/** Everything was seen. */
export const seeAll = () => here.inbox.length && doing(here.ww.inbox.seen({ upTo: Math.max(...here.inbox.map(one => one.seq)) }));

const tomorrow = () => {
  const time = new Date(Date.now() + 86_400_000);
  time.setHours(9, 0, 0, 0);
  return time;
};

/** A notification leaves the list: the focus goes from it to the next one, or to the one before it, or to the title of the page. */
function passFocus({ currentTarget }) {
  const row = currentTarget.closest(".note");
  if (!row.contains(document.activeElement)) return;
  const rows = [...row.parentElement.querySelectorAll(".note:not([data-gone])")];
  const at = rows.indexOf(row);
  const next = rows[at + 1] ?? rows[at - 1];
  (next?.querySelector(".noteTitle button") ?? document.querySelector("main h1"))?.focus();
}

function snooze(one, event) {
  passFocus(event);
  doing(here.ww.inbox.snooze([one.id], tomorrow()));
}

/** It goes from all devices for good. */
function archive(one, event) {
  passFocus(event);
  announce(t("archivedOne", { title: one.title || one.kind }));
  doing(here.ww.inbox.archive([one.id]));
}

/** The key that deletes on a Mac is the one that goes back elsewhere. A key that is held down archives one, not all. */
function pressedKey(one, event) {
  if (!["Delete", "Backspace"].includes(event.key) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!event.repeat) archive(one, event);
}

/** One notification; `act` is what a click on its title does, which is a heading of the given level. */
function note(one, act, heading) {
  const manner = one.since ? t(`gone.${one.reason}`) : one.alert === false ? t(has(`silent.${one.reason}`) ? `silent.${one.reason}` : "silent.other") : "";
  return h("li", { class: "note", key: one.id, "data-id": one.id, "data-kind": one.kind, "data-level": one.level, "data-seen": Boolean(one.seen),
    "data-gone": one.since ? one.reason : undefined, keydown: one.since ? undefined : event => pressedKey(one, event) },
    h("div", { class: "noteHead" }, h("b", {}, t(`level.${one.level}`)), manner && h("span", {}, manner), timeOf(one.at, h)),
    h(heading, { class: "noteTitle" }, one.since ? one.title : h("button",
      { type: "button", class: "plain", "data-id": one.id, click: () => act(one) }, one.title || one.kind)),
    one.body ? h("p", {}, one.body) : null,
    one.since ? null : h("div", { class: "noteActions" },
      one.seen ? null : h("button", { type: "button", class: "quiet small", click: () => doing(here.ww.inbox.seen({ ids: [one.id] })) },
        t("markSeen")),
      h("button", { type: "button", class: "quiet small", click: event => snooze(one, event) }, t("snooze")),
      h("button", { type: "button", class: "quiet small", "data-archive": one.id, "aria-keyshortcuts": "Delete", title: t("archiveTitle"),
        click: event => archive(one, event) }, t("archive"))));
}

/** The list of notifications. */
export function notes(app, limit = 60, heading = "h2") {
  const all = allNotes().slice(0, limit);
  const act = one => {
    if (!one.seen) doing(here.ww.inbox.seen({ ids: [one.id] }));
    app.follow?.(one);
  };
  return all.length ? h("ul", { id: "notifications", class: "notes" }, all.map(one => note(one, act, heading))) : emptyState(t("inboxEmpty"));
}

/** The button that marks everything as seen, while there is something new. */
export const seenAllButton = () => h("button", { type: "button", id: "seen-all", class: "quiet", hidden: !here.unread.notifications, click: seeAll },
  sign("check"), t("seenAll"));

/** The page of the inbox. */
export function drawInbox(app) {
  return h("section", { class: "narrow" }, pageTitle(t("inbox"), seenAllButton()), notes(app),
    here.inbox.length ? h("p", { class: "hint keyHint" }, t("inboxHint")) : null);
}

/** The inbox beside something else: only as a list. */
export function inboxColumn(app) {
  return h("section", { class: "column inboxColumn", "aria-label": t("inbox") },
    h("header", { class: "columnHead" }, h("h2", {}, t("inbox"), " ",
      h("span", { class: "badge", id: "count", hidden: !here.unread.notifications }, String(here.unread.notifications))), seenAllButton()),
    notes(app, 30, "h3"));
}

