import { h } from "./element-dom.js";
// The drawings of the buttons: lines in a square of 24.

const SIGNS = {
  bell: "M6 9a6 6 0 0 1 12 0c0 6 2 7 2 7H4s2-1 2-7m4 10a2 2 0 0 0 4 0",
  check: "m5 13 4 4L19 7",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18m0-14v5l3 2",
  archive: "M4 4h16v4H4zm1 4h14v12H5zm5 4h4",
  gear: "M4 7h9m6 0h1M4 17h1m6 0h9M16 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5m-8 10a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5",
  close: "M6 6l12 12M18 6 6 18",
  back: "M14 6l-6 6 6 6",
  dots: "M5 12h.01M12 12h.01M19 12h.01",
  send: "M4 12l16-8-6 16-3-7z",
  down: "M12 5v14m-6-6 6 6 6-6",
};

/** A drawing, which says nothing to those who hear the page. */
export const sign = name => h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: `sign ${name}` }, h("path", { d: SIGNS[name] }));
