// Air quality: stations with their index on the scale from very good to very bad, on a map and as a list.

import { h } from "../shell/dom.js";
import { here, collection, emptyWord, follow } from "../shell/here.js";
import { t, timeOf } from "../shell/words.js";
import { go, pageTitle, emptyState, followButton, pendingMark } from "../shell/frame.js";
import { inboxColumn } from "../shell/inbox.js";
import { sign } from "../shell/drawn.js";
import { drawMap } from "./map.js";

const SCALE = [0, 1, 2, 3, 4, 5];
/** The level of a warning when the air has become as bad as that, as the application's trigger has it. */
const LEVELS = { 3: "active", 4: "time-sensitive", 5: "critical" };

/** Values of the feed may be texts, and may be missing. */
const numeric = value => value === null || value === undefined || value === "" ? null : Number(value);

function stations() {
  return collection("stations").map(({ path, data, pending }) => ({ id: path.split("/")[1], ...data, index: numeric(data.index),
    previous: numeric(data.previous), lat: numeric(data.lat), lon: numeric(data.lon), pending }))
    .sort((one, other) => here.topics.has(`station:${other.id}`) - here.topics.has(`station:${one.id}`) || (other.index ?? -1) - (one.index ?? -1) || (one.name ?? "").localeCompare(other.name ?? ""));
}

const levelName = index => index === null ? t("air.none") : t(`air.${index}`);

function trend({ index, previous }) {
  if (index === null || previous === null) return null;
  const kind = index > previous ? "worse" : index < previous ? "better" : "same";
  return h("span", { class: kind === "worse" ? "chip bad" : kind === "better" ? "chip good" : "chip faint" },
    sign({ worse: "up", better: "down", same: "same" }[kind]), t(`air.${kind}`, { before: levelName(previous) }));
}

function scale(index) {
  return h("div", { class: "scale", role: "img", "aria-label": t("air.outOf", { n: index ?? 0, name: levelName(index) }) },
    SCALE.map(step => h("span", { "data-index": step, "data-on": step === index })));
}

function card(station, chosen) {
  return h("li", { class: "card station document", key: station.id, id: `station-${station.id}`, "data-path": `stations/${station.id}`,
    "data-index": station.index ?? "", "data-chosen": station.id === chosen },
    h("div", { class: "stationHead" }, h("div", { class: "grow" }, h("h2", {}, station.name ?? station.id),
      h("p", {}, h("b", { class: "indexName", "data-index": station.index ?? "" }, levelName(station.index)), " ", timeOf(station.at, h),
      pendingMark(station))),
      followButton(`station:${station.id}`, station.name ?? station.id, follow)),
    scale(station.index), h("div", { class: "row" }, trend(station)));
}

function legend() {
  return h("section", { class: "card", "aria-label": t("air.legend") }, h("h2", {}, t("air.legend")), h("p", { class: "hint" }, t("air.legendHint")),
    h("ul", { class: "legend" }, SCALE.map(step => h("li", { key: step },
      h("span", { class: "swatch", "data-index": step, "aria-hidden": "true" }, String(step)), h("span", { class: "grow" }, levelName(step)),
      h("small", {}, LEVELS[step] ? t("air.rings", { level: t(`level.${LEVELS[step]}`) }) : t("air.quiet"))))));
}

let shown = null;

function drawStations([page, chosen]) {
  const all = stations();
  const id = page === "station" ? chosen : null;
  if (id !== shown) {
    shown = id;
    setTimeout(() => document.getElementById(`station-${id}`)?.scrollIntoView({ block: "center" }), 50);
  }
  return h("div", { class: "placePage" }, h("div", { class: "placeMain" }, pageTitle(t("air.title")),
    all.length ? h("div", { class: "airGrid" }, h("section", { class: "card mapCard", "aria-label": t("air.map") },
      drawMap(all, t("air.map"), station => `${station.name}: ${levelName(station.index)}`)),
      h("ul", { class: "stations" }, all.map(station => card(station, id))), legend()) : emptyState(t(emptyWord("stations")))),
  inboxColumn(application));
}

export const application = {
  sign: "air", first: "stations", kinds: ["air"],
  tabs: () => [{ id: "stations", sign: "air", label: t("air.title") }],
  begin: () => { collection("stations"); },
  draw: drawStations,
  keepsFocus: ([page]) => page === "station",
  follow: ({ data }) => data?.station ? go("station", data.station) : go("inbox"),
};

