// The ski resort: whether it is open, its snow, its lifts and slopes, and the warnings that hold.

import { h } from "../shell/dom.js";
import { collection, emptyWord, follow } from "../shell/here.js";
import { t, has, number } from "../shell/words.js";
import { go, pageTitle, emptyState, followButton } from "../shell/frame.js";
import { inboxColumn } from "../shell/inbox.js";
import { sign } from "../shell/drawn.js";
import { mountain } from "./mountain.js";

const rows = path => collection(path).map(({ path: place, data }) => ({ id: place.slice(place.lastIndexOf("/") + 1), path: place,
  ...data })).sort((one, other) => (one.name ?? one.id).localeCompare(other.name ?? other.id));

const statusName = status => t(has(`ski.${status}`) ? `ski.${status}` : "ski.unknown");
const status = ({ status: now, closesAt }) => h("span",
  { class: { open: "chip good", closing: "chip warn" }[now] ?? "chip faint", "data-status": now }, statusName(now),
  now === "closing" && closesAt ? ` ${closesAt}` : "");

function list(title, path, picture) {
  const all = rows(path);
  const open = all.filter(one => one.status === "open" || one.status === "closing").length;
  return h("section", { class: "card", "aria-label": title },
    h("div", { class: "columnHead" }, h("h2", {}, title), h("span", { class: "chip faint" }, t("ski.openOf", { n: open, all: all.length }))),
    all.length ? h("ul", { class: "rows" }, all.map(one => h("li", { class: "document", key: one.id, "data-path": one.path }, picture(one),
      h("span", { class: "grow" }, h("span", {}, one.name ?? one.id), one.difficulty ? h("small", {}, t(`ski.${one.difficulty}`)) : null),
      status(one))))
      : emptyState(t(emptyWord(path))));
}

function warning(alert) {
  const kind = has(`ski.kind.${alert.kind}`) ? t(`ski.kind.${alert.kind}`) : alert.kind ?? t("ski.warning");
  const severity = Number(alert.severity) || 0;
  return h("li", { class: "warning document", key: alert.id, "data-path": alert.path, "data-severity": severity }, sign("alert"),
    h("div", { class: "grow" }, h("strong", {}, kind, alert.area ? ` · ${alert.area}` : ""), h("p", {}, t("ski.severity", { n: severity })),
      alert.text ? h("p", {}, alert.text) : null),
    h("span", { class: "severity", "aria-hidden": "true" }, [1, 2, 3, 4, 5].map(step => h("i", { "data-on": step <= severity }))));
}

const fact = (name, value) => h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, value));

function resort({ id, name, open, snow, newSnow, path }) {
  const [lifts, slopes] = [rows(`resorts/${id}/lifts`), rows(`resorts/${id}/slopes`)];
  const alerts = rows(`resorts/${id}/alerts`).filter(alert => !alert.ended);
  const running = all => all.filter(one => one.status !== "closed").length;
  const label = t("ski.drawing", { lifts: running(lifts), allLifts: lifts.length, slopes: running(slopes), allSlopes: slopes.length });
  return h("article", { key: id, class: "resort document", "data-path": path },
    pageTitle(name ?? id, h("span", { class: open ? "chip good" : "chip faint", "data-open": Boolean(open) },
      t(open ? "ski.isOpen" : "ski.isClosed")), followButton(`resort:${id}`, name ?? id, follow)),
    alerts.length ? h("ul", { class: "warnings", "aria-label": t("ski.warnings") }, alerts.map(warning)) : null,
    h("div", { class: "card mountainCard" }, mountain(lifts, slopes, snow, label),
      h("dl", { class: "facts" }, fact(t("ski.snow"), t("ski.cm", { value: number(Number(snow) || 0) })),
        fact(t("ski.newSnow"), t("ski.cm", { value: number(Number(newSnow) || 0) })), fact(t("ski.lifts"), `${running(lifts)}/${lifts.length}`),
        fact(t("ski.slopes"), `${running(slopes)}/${slopes.length}`))),
    h("div", { class: "twoColumns" }, list(t("ski.lifts"), `resorts/${id}/lifts`,
      one => h("span", { class: "avatar kindSign", "data-status": one.status }, sign("lift"))),
      list(t("ski.slopes"), `resorts/${id}/slopes`, one => h("span",
        { class: "difficulty", "data-difficulty": one.difficulty ?? "", "aria-hidden": "true" }))));
}

function drawResorts() {
  const all = rows("resorts");
  return h("div", { class: "placePage" }, h("div", { class: "placeMain" },
    all.length ? all.map(resort) : [pageTitle(t("ski.title")), emptyState(t(emptyWord("resorts")))]), inboxColumn(application));
}

export const application = {
  sign: "snow", first: "resort", kinds: ["avalanche", "danger", "lift", "conditions", "suggestion"],
  tabs: () => [{ id: "resort", sign: "snow", label: t("ski.title") }],
  begin: () => { collection("resorts"); },
  draw: drawResorts,
  follow: () => go("resort"),
};
