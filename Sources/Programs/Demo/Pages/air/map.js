// The country with its stations, drawn from their coordinates.

import { s } from "../shell/dom.js";
import { to } from "../shell/frame.js";

/** The border in degrees, north and east, roughly. */
const BORDER = [[53.93, 14.21], [54.18, 15.58], [54.58, 16.85], [54.83, 18.3], [54.6, 18.8], [54.36, 18.75], [54.46, 19.65], [54.37, 20.5],
  [54.36, 22.78], [53.95, 23.5],
  [52.94, 23.92], [52.6, 23.3], [52.07, 23.62], [51.5, 23.55], [50.85, 24.03], [50.4, 23.7], [49.85, 22.95], [49.53, 22.68], [49.09, 22.86],
    [49.03, 22.55], [49.41, 21.6],
  [49.35, 20.9], [49.18, 20.09], [49.4, 19.65], [49.52, 18.85], [49.92, 18.03], [50.27, 17.35], [50.1, 16.95], [50.43, 16.2], [50.73, 15.6],
    [50.87, 14.83], [51.15, 15.03],
  [51.58, 14.72], [52.07, 14.75], [52.57, 14.63], [52.85, 14.13], [53.26, 14.41], [53.7, 14.27]];

const place = (lat, lon) => [(lon - 13.8) * 61.6, (55.1 - lat) * 100];

/** The map; each station is a link to its card, and says its index. */
export function drawMap(stations, label, textOf) {
  const outline = BORDER.map(([lat, lon]) => place(lat, lon).map(Math.round).join(" ")).join("L");
  return s("svg", { class: "airMap", viewBox: "0 0 650 620", role: "group", "aria-label": label },
    s("path", { class: "land", d: `M${outline}z` }),
    stations.filter(({ lat, lon }) => Number.isFinite(lat) && Number.isFinite(lon)).map(station => {
      const [x, y] = place(station.lat, station.lon);
      return s("a", { href: to("station", station.id), key: station.id, class: "airDot", "data-index": station.index ?? "",
        "aria-label": textOf(station) },
        s("circle", { cx: x, cy: y, r: 25 }), s("text", { x, y: y + 9, "text-anchor": "middle", "font-size": 26, "font-weight": 700 },
          station.index === null || station.index === undefined ? "?" : String(station.index)),
        s("text", { class: "airCity", x, y: y + 49, "text-anchor": "middle", "font-size": 20 }, station.city ?? ""));
    }));
}
