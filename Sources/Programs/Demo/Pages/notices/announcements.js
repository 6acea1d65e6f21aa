// A department's announcements, the newest first, and how one wants to hear of them.

import { h } from "../shell/dom.js";
import { here, collection, emptyWord, follow, doing } from "../shell/here.js";
import { t, timeOf, moment } from "../shell/words.js";
import { go, pageTitle, emptyState, followButton } from "../shell/frame.js";
import { inboxColumn } from "../shell/inbox.js";
import { sign } from "../shell/drawn.js";

const announcements = () => collection("announcements").map(({ path, data }) => ({ id: path.slice("announcements/".length), path, ...data }))
  .sort((one, other) => (other.published ?? "").localeCompare(one.published ?? ""));

/** The unseen notifications about an announcement. */
const unseen = id => here.inbox.filter(one => !one.seen && one.data?.announcement === id);

const see = id => {
  const ids = unseen(id).map(one => one.id);
  if (ids.length) doing(here.ww.inbox.seen({ ids }));
};

/** Links of a feed lead anywhere: only those of the web are links here. */
const isWeb = link => /^https?:\/\//.test(link ?? "");

function card(one) {
  const isNew = unseen(one.id).length > 0;
  return h("article", { class: "card announcement document", key: one.id, id: `announcement-${one.id}`, "data-path": one.path, "data-new": isNew },
    h("div", { class: "noteHead" }, isNew ? h("span", { class: "chip good" }, t("notices.new")) : null,
      h("time", { datetime: one.published, title: moment(one.published) }, one.published ? timeOf(one.published, h).textContent : "")),
    h("h2", {}, one.title ?? one.id), one.summary ? h("p", {}, one.summary) : null,
    h("div", { class: "row" }, isWeb(one.link) ? h("a",
      { class: "button quiet framed small", href: one.link, target: "_blank", rel: "noopener noreferrer", click: () => see(one.id) }, sign("out"),
      t("notices.open")) : null,
      isNew ? h("button", { type: "button", class: "quiet small", click: () => see(one.id) }, sign("check"), t("markSeen")) : null));
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function subscription() {
  const isDaily = Boolean(here.preferences.digest?.announcement);
  const set = on => doing(here.ww.preferences.set({ digest: { announcement: on ? "daily 18:00" : null },
    ...(on && { timeZone: here.preferences.timeZone ?? zone }) }));
  return h("section", { class: "card invite", "aria-label": t("notices.subscription") }, h("p", { class: "grow" }, t("notices.about")),
    followButton("feed:announcements", t("notices.title"), follow),
    h("label", { class: "check" }, h("input", { type: "checkbox", id: "daily", checked: isDaily, change: event => set(event.target.checked) }),
      t("notices.daily")));
}

function drawAnnouncements() {
  const all = announcements();
  return h("div", { class: "placePage" }, h("div", { class: "placeMain" }, pageTitle(t("notices.title")), subscription(),
    all.length ? h("div", { class: "feed", id: "announcements" }, all.map(card)) : emptyState(t(emptyWord("announcements", "notices.empty")))),
      inboxColumn(application));
}

export const application = {
  sign: "notice", first: "announcements", kinds: ["announcement"],
  tabs: () => [{ id: "announcements", sign: "notice", label: t("notices.title") }],
  begin: () => { collection("announcements"); },
  draw: drawAnnouncements,
  follow({ data }) {
    go("announcements");
    setTimeout(() => document.getElementById(`announcement-${data?.announcement}`)?.scrollIntoView({ block: "center" }), 80);
  },
};
