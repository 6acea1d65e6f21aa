import { WatchWise } from "./watchwise.js";

/** Measuring stations: those that were bookmarked are watched, and warn when their air becomes worse. */
export async function airQuality({ screen, ...options }) {
  const ww = await WatchWise.open(options);
  const stations = new Map(); // by id: the function that ends the watch, and the newest values
  const draw = () => screen.stations([...stations].map(([id, { data }]) => ({ id, ...data })));
  ww.topics.watch(({ items }) => {
    const wanted = new Set(items.map(({ topic }) => topic).filter(topic => topic.startsWith("station:")).map(topic => topic.slice(8)));
    for (const [id, { off }] of stations) if (!wanted.has(id)) { off(); stations.delete(id); }
    for (const id of wanted) {
      if (stations.has(id)) continue;
      const station = { data: null };
      stations.set(id, station);
      station.off = ww.doc(`stations/${id}`).watch(({ value }) => {
        station.data = value?.data ?? null;
        draw();
      });
    }
    draw();
  });
  ww.inbox.watch(({ items }) => screen.warnings(items.map(({ id, title, level, seen }) => ({ id, title, level, seen }))));
  return {
    bookmark: id => ww.topics.follow(`station:${id}`), forget: id => ww.topics.unfollow(`station:${id}`),
    language: locale => ww.preferences.set({ locale }),
    close: () => ww.close(),
  };
}
