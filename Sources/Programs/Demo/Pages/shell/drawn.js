// Pictures, drawn from ids: the same id is the same picture everywhere, and no file comes from elsewhere.

import { s, h } from "./dom.js";

/** Chance that is the same for the same text (FNV-1a, then xorshift). */
function chanceOf(text) {
  let state = [...text].reduce((sum, letter) => Math.imul(sum ^ letter.codePointAt(0), 0x01000193) >>> 0, 0x811c9dc5) || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  // The first values of similar texts are similar.
  for (let step = 0; step < 8; step++) next();
  return next;
}

const pick = (chance, list) => list[Math.floor(chance() * list.length)];

const SKIN = ["#f7d7c0", "#eebc9a", "#d9a07a", "#b97b56", "#8d5638", "#6a3f2a"];
const HAIR = ["#1f1a1c", "#4a2f22", "#7a4a2a", "#b5803f", "#d9c08a", "#8a8f98", "#a3432f"];
const CLOTH = ["#2f6690", "#8c2f39", "#3f7d58", "#b5651d", "#5b4b8a", "#20707a", "#444b54", "#b03a6e"];
const GROUND = ["#f2c9a1", "#a9d6c4", "#b9c7ee", "#f4b6b6", "#d7c4ec", "#f1dd93", "#aedcf0", "#cfe0a6"];

const HAIRCUTS = [
  () => ["M10 18c0-9 5-12 10-12s10 3 10 12c-2-5-5-7-10-7s-8 2-10 7z"],
  () => ["M9 26c-1-14 3-20 11-20s12 6 11 20c-2 2-3 2-4 0 1-8-1-12-7-13-6 1-8 5-7 13-1 2-3 2-4 0z"],
  () => ["M10 17c1-8 5-11 11-11 5 0 8 3 9 9-5 0-9-1-12-4-2 3-5 5-8 6z"],
  () => ["M9.5 19a10.5 11.5 0 0 1 21 0c-1-3-2-4-3-5-5 1-10 1-15 0-1 1-2 2-3 5z", "M20 7a4 4 0 1 1 .1 0z"],
  () => ["M11 15c2-5 5-7 9-7s7 2 9 7c-2-2-5-3-9-3s-7 1-9 3z"],
];

/** The face of somebody: `picture` tells apart several faces of one id. */
export function face(id, picture = 0, properties = {}) {
  const chance = chanceOf(`${id}/${picture}`);
  const [skin, hair, cloth, ground] = [SKIN, HAIR, CLOTH, GROUND].map(list => pick(chance, list));
  const cut = pick(chance, HAIRCUTS)();
  const [hasGlasses, smile] = [chance() < 0.3, pick(chance, ["M16 25q4 4 8 0", "M16.5 25.5q3.5 2 7 0", "M17 25h6", "M16 24.5q4 5 8 0z"])];
  return s("svg", { class: "face", viewBox: "0 0 40 40", "aria-hidden": "true", ...properties },
    s("circle", { cx: 20, cy: 20, r: 20, fill: ground }),
    s("path", { d: "M5 40c1-9 7-11 15-11s14 2 15 11z", fill: cloth }),
    s("path", { d: "M16 26h8v5c-2 3-6 3-8 0z", fill: skin }),
    s("ellipse", { cx: 20, cy: 19, rx: 9, ry: 10.5, fill: skin }),
    cut.map(d => s("path", { d, fill: hair })),
    s("circle", { cx: 16.3, cy: 19.5, r: 1.15, fill: "#221c1a" }), s("circle", { cx: 23.7, cy: 19.5, r: 1.15, fill: "#221c1a" }),
    s("path", { d: smile, fill: "none", stroke: "#5a2a24", "stroke-width": 1.2, "stroke-linecap": "round" }),
    hasGlasses && s("path", { d: "M13 19.5a3 3 0 1 0 6.4 0a3 3 0 1 0-6.4 0M20.6 19.5a3 3 0 1 0 6.4 0a3 3 0 1 0-6.4 0M19.4 19.2h1.2", fill: "none",
      stroke: "#332c2a", "stroke-width": 0.9 }));
}

/** A title in lines that fit a poster. */
function lines(title, width = 12) {
  return title.split(" ").reduce((all, word) => {
    if (all.length && `${all.at(-1)} ${word}`.length <= width) all.push(`${all.pop()} ${word}`);
    else all.push(word);
    return all;
  }, []).slice(0, 4);
}

const SCENES = [
  (c, ink, light) => [s("circle", { cx: 20 + c() * 20, cy: 34, r: 11 + c() * 7, fill: light }),
    s("path", { d: "M0 46q15-7 30 0t30-1v45H0z", fill: ink }), s("path", { d: "M0 58q18-6 34 0t26-1v33H0z", fill: "#0007" })],
  (c, ink, light) => [26, 19, 12, 5].map((r, step) => s("circle", { cx: 30, cy: 32, r, fill: step % 2 ? ink : light })),
  (c, ink, light) => [s("path", { d: "M-4 62L22 14l14 26 8-12 22 34z", fill: ink }), s("path", { d: "M22 14l7 13-4-1-4 4-5-3z", fill: light }),
    s("circle", { cx: 46, cy: 14, r: 5, fill: light })],
  (c, ink, light) => [0, 1, 2, 3, 4].map(place => s("rect",
    { x: place * 12, y: 12 + c() * 30, width: 10, height: 70, fill: place % 2 ? ink : light, opacity: 0.92 })),
  (c, ink, light) => [s("path", { d: "M0 0h60L30 52z", fill: light, opacity: 0.85 }), s("circle", { cx: 30, cy: 44, r: 7, fill: ink }),
    s("path", { d: "M22 66q8-18 16 0z", fill: ink })],
  (c, ink, light) => [s("path", { d: "M4 32q26-24 52 0-26 24-52 0z", fill: light }), s("circle", { cx: 30, cy: 32, r: 10, fill: ink }),
    s("circle", { cx: 33, cy: 29, r: 3, fill: light })],
  (c, ink, light) => [0, 1, 2, 3, 4, 5].map(step => s("path",
    { d: `M${-30 + step * 18} 70L${10 + step * 18} 0h8L${-22 + step * 18} 70z`, fill: step % 2 ? ink : light })),
];

/** The poster of a film. */
export function poster({ id, title = id }, properties = {}) {
  const chance = chanceOf(id);
  const hue = Math.floor(chance() * 360);
  const other = (hue + 40 + Math.floor(chance() * 160)) % 360;
  const [ground, ink, light] = [`hsl(${hue} 38% 34%)`, `hsl(${hue} 45% 16%)`, `hsl(${other} 62% 72%)`];
  const rows = lines(title.toUpperCase());
  return s("svg", { class: "poster", viewBox: "0 0 60 90", "aria-hidden": "true", ...properties },
    s("rect", { width: 60, height: 90, fill: ground }), pick(chance, SCENES)(chance, ink, light),
    s("rect", { y: 90 - 9 - rows.length * 8, width: 60, height: 9 + rows.length * 8, fill: "#14100f" }),
    rows.map((row, place) => s("text", { x: 5, y: 90 - 4 - (rows.length - 1 - place) * 8, fill: "#fff", "font-size": 6.4, "font-weight": 700,
      ...(row.length > 10 && { textLength: 50, lengthAdjust: "spacingAndGlyphs" }) }, row)));
}

/** Signs, in strokes of one width. */
const SIGNS = {
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z", chat: "M4 5h16v11H10l-5 4v-4H4z",
    people: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-4 2.500-6 6-6s6 2 6 6M16 4.500a3.500 3.500 0 0 1 0 6.500M17.500 14.500c2.300.700 3.500 2.600 3.500 5.500",
  bell: "M6 10a6 6 0 0 1 12 0c0 5 2 6 2 7H4c0-1 2-2 2-7zM10 20a2 2 0 0 0 4 0",
    mute: "M6 10a6 6 0 0 1 12 0c0 5 2 6 2 7H4c0-1 2-2 2-7zM10 20a2 2 0 0 0 4 0M4 3l16 18",
    gear: "M12 15.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400zM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M18.400 5.600l-2.100 2.100M7.700 16.300l-2.100 2.100",
  film: "M3 5h18v14H3zM7 5v14M17 5v14M3 9.700h4M3 14.300h4M17 9.700h4M17 14.300h4", back: "M15 5l-7 7 7 7", close: "M6 6l12 12M18 6L6 18",
    send: "M4 12l16-7-5 15-4-6z",
  check: "M5 13l4 4L19 7", clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2", plus: "M12 5v14M5 12h14",
    board: "M4 5h4v14H4zM10 5h4v9h-4zM16 5h4v12h-4z",
  air: "M4 9h11a3 3 0 1 0-3-3M4 13h14a3 3 0 1 1-3 3M4 17h7a2.500 2.500 0 1 1-2.500 2.500",
    snow: "M12 3v18M4.200 7.500l15.600 9M19.800 7.500l-15.600 9M9.500 4.500L12 7l2.500-2.500M9.500 19.500L12 17l2.500 2.500",
  notice: "M5 4h10l4 4v12H5zM15 4v4h4M8 12h8M8 16h6", pen: "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3", trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
    up: "M12 19V5M6 11l6-6 6 6", down: "M12 5v14M6 13l6 6 6-6", same: "M5 12h14", out: "M9 5H5v14h14v-4M13 4h7v7M20 4l-9 9",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.500", eye: "M2.500 12q9.500-13 19 0-9.500 13-19 0zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  dots: "M5.500 12h.010M12 12h.010M18.500 12h.010", search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.500 4.500",
  block: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM5.700 5.700l12.600 12.600", copy: "M9 9h11v11H9zM5 15H4V4h11v1",
    lift: "M3 7l18-4M12 5v4M6 9h12v8H6zM12 9v8",
};

export const sign = (name, properties = {}) =>
  s("svg", { class: "sign", viewBox: "0 0 24 24", "aria-hidden": "true", ...properties }, s("path", { d: SIGNS[name] }));

const STAR = "M12 2.500l2.900 6.200 6.800.800-5 4.700 1.300 6.700-6-3.300-6 3.300 1.300-6.700-5-4.700 6.800-.800z";

/** Stars of a rating from 0.5 to 5; its words are `label`. */
export function stars(rating, label) {
  return h("span", { class: "stars", role: "img", "aria-label": label },
    [1, 2, 3, 4, 5].map(star => s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" },
      s("path", { class: "hollow", d: STAR }),
      rating >= star - 0.5 && s("svg", { width: rating >= star ? 24 : 12, height: 24, viewBox: `0 0 ${rating >= star ? 24 : 12} 24` },
        s("path", { class: "full", d: STAR })))));
}
