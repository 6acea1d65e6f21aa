// The mountain with its lifts and slopes; a line shows how each stands.

import { s } from "../shell/dom.js";

const BASE = 300;

/** Where a lift or slope begins and ends: the same for the same place in the list. */
const spread = (place, count, from, to) => from + (to - from) * (count > 1 ? place / (count - 1) : 0.5);

function liftLine(lift, place, count) {
  const [bottom, top] = [spread(place, count, 90, 500), spread(place, count, 210, 420)];
  const high = 96 + (place % 2) * 34;
  const [x, y] = [(bottom + top) / 2, (BASE + high) / 2];
  return s("g", { class: "liftLine", "data-status": lift.status, key: lift.id },
    s("path", { d: `M${bottom} ${BASE}L${top} ${high}` }),
    s("rect", { x: x - 9, y: y - 2, width: 18, height: 13, rx: 3 }), s("rect", { x: bottom - 8, y: BASE - 8, width: 16, height: 12, rx: 2 }),
      s("rect", { x: top - 7, y: high - 8, width: 14, height: 12, rx: 2 }));
}

function slopeLine(slope, place, count) {
  const [top, bottom] = [spread(place, count, 230, 410), spread(place, count, 50, 590)];
  const high = 110 + ((place + 1) % 3) * 22;
  const swing = place % 2 ? 40 : -40;
  return s("path", { class: "slopeLine", "data-status": slope.status, "data-difficulty": slope.difficulty ?? "", key: slope.id,
    d: `M${top} ${high}C${top + swing} ${high + 50} ${bottom - swing} ${high + 90} ${(top + bottom) / 2} ${high + 110}S${bottom + swing} ${BASE - 40} ${bottom} ${BASE}` });
}

/** The drawing; its words are `label`, and the lists below say the same. */
export function mountain(lifts, slopes, snow, label) {
  return s("svg", { class: "mountain", viewBox: "0 0 640 330", role: "img", "aria-label": label },
    s("rect", { class: "sky", width: 640, height: 330 }),
    s("path", { class: "far", d: "M0 250L110 120l60 60 90-120 80 90 70-60 120 110 110-70v200H0z" }),
    s("path", { class: "near", d: "M0 330V270L140 200 250 90l70-40 90 60 90 90 140 60v70z" }),
    s("path", { class: "peak", d: "M250 90l70-40 90 60-34 22-30-18-28 24-26-20-34 8z" }),
    slopes.map((slope, place) => slopeLine(slope, place, slopes.length)),
    lifts.map((lift, place) => liftLine(lift, place, lifts.length)),
    s("rect", { class: "depth", x: 0, y: 330 - Math.min(26, (snow ?? 0) / 6), width: 640, height: 26 }));
}
