// The settings: language, quiet hours, what may interrupt, this computer, and the writes that wait.

import { h } from "./dom.js";
import { here, doing, whyNot } from "./here.js";
import { t, languages, languageOf, spoken, moment, has } from "./words.js";
import { pageTitle, emptyState } from "./frame.js";
import { pushState, switchPush } from "./notify.js";

const set = patch => doing(here.ww.preferences.set(patch));
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function language() {
  const now = languageOf(here.preferences.locale ?? spoken());
  return h("label", { class: "field" }, h("span", {}, t("language")),
    h("select", { id: "language", change: event => set({ locale: event.target.value }) },
      Object.entries(languages).map(([tag, name]) => h("option", { value: tag, selected: tag === now, lang: tag }, name))));
}

function quietHours() {
  const quiet = here.preferences.quietHours;
  const change = members => set({ quietHours: { ...(quiet ?? { from: "22:00", to: "07:00" }), ...members },
    timeZone: here.preferences.timeZone ?? ownZone });
  const time = (name, label) => h("label", { class: "field inline" }, h("span", {}, label),
    h("input", { type: "time", id: `quiet-${name}`, value: quiet[name],
      change: event => event.target.value && change({ [name]: event.target.value }) }));
  return [
    h("label", { class: "check" }, h("input", { type: "checkbox", id: "quiet", checked: Boolean(quiet),
      change: event => event.target.checked ? change({}) : set({ quietHours: null }) }), t("quietHours")),
    quiet && h("div", { class: "row" }, time("from", t("quietFrom")), time("to", t("quietTo"))),
    h("p", { class: "hint" }, quiet ? t("quietZone", { zone: here.preferences.timeZone ?? ownZone }) : t("quietHint")),
  ];
}

function levels() {
  const now = here.preferences.levels ?? ["active", "time-sensitive", "critical"];
  return ["active", "time-sensitive", "critical"].map(level => h("label", { class: "check", key: level },
    h("input", { type: "checkbox", checked: now.includes(level),
      change: event => set({ levels: event.target.checked ? [...now, level] : now.filter(one => one !== level) }) }),
    h("span", {}, h("b", { class: "levelName", "data-level": level }, t(`level.${level}`)), " ", h("small", {}, t(`levelAbout.${level}`)))));
}

function kinds(app) {
  const { kinds: own = {}, digest = {} } = here.preferences;
  const now = kind => digest[kind] ? "digest" : own[kind]?.deliver === "silent" ? "silent" : "alert";
  const choose = (kind, choice) => set({
    kinds: { [kind]: choice === "silent" ? { deliver: "silent" } : null }, digest: { [kind]: choice === "digest" ? "daily 18:00" : null },
    ...(choice === "digest" && { timeZone: here.preferences.timeZone ?? ownZone }),
  });
  return app.kinds.map(kind => h("label", { class: "field", key: kind }, h("span", {}, t(`kind.${kind}`)),
    h("select", { "data-kind": kind, change: event => choose(kind, event.target.value) },
      ["alert", "silent", "digest"].map(choice => h("option", { value: choice, selected: now(kind) === choice }, t(`deliver.${choice}`))))));
}

function computer() {
  const { isHidden, isBusy, state } = pushState();
  return isHidden ? h("p", { class: "hint" }, t("push.none"))
    : h("button", { type: "button", id: "notify", class: state === "on" ? "quiet framed" : "primary", "data-state": state,
      "aria-pressed": state === "on" ? "true" : "false", disabled: isBusy || state === "denied", click: switchPush }, t(`push.${state}`));
}

const nameOfWrite = ({ type }) => t(has(`write.${type}`) ? `write.${type}` : "write.other");

function waiting() {
  if (!here.outbox.length) return emptyState(t("outboxEmpty"));
  return h("ul", { class: "outbox" }, here.outbox.map(entry => h("li", { key: entry.key, "data-pending": entry.state },
    h("div", {}, h("strong", {}, nameOfWrite(entry.command)),
      h("small", {}, t(`entry.${entry.state}`), entry.error ? ` ${whyNot(entry.error)}` : "",
      entry.firstSent ? ` · ${moment(entry.firstSent)}` : "")),
    h("div", { class: "row" },
      ["failed", "uncertain", "blocked"].includes(entry.state) && h("button",
        { type: "button", class: "quiet small", click: () => here.ww.outbox.retry(entry.key) }, t("retry")),
      entry.state !== "sent" && h("button", { type: "button", class: "quiet small", click: () => here.ww.outbox.discard(entry.key) },
        t("discard"))))));
}

const group = (title, ...more) => h("section", { class: "card settingsGroup", "aria-label": title }, h("h2", {}, title), ...more);

/** The page. */
export function drawSettings(app) {
  return h("div", { class: "narrow" }, pageTitle(t("settings")),
    group(t("language"), language(), h("p", { class: "hint" }, t("languageHint"))),
    group(t("quietHours"), quietHours()),
    group(t("interrupts"), levels(),
      h("label", { class: "check" }, h("input", { type: "checkbox", id: "mute-all", checked: Boolean(here.preferences.mute?.all),
        change: event => set({ mute: { all: event.target.checked ? true : null } }) }), t("muteAll"))),
    app.kinds.length > 0 && group(t("byKind"), kinds(app)),
    ...(app.settings?.() ?? []).map(rows => group(...rows)),
    group(t("thisComputer"), computer(), h("p", { class: "hint" }, t("push.hint"))),
    group(t("outbox"), waiting(), h("p", { class: "hint" }, t("outboxHint"))));
}
