import { WatchWise } from "./watchwise.js";

/** One ski resort: its lifts and slopes live, and warnings at the level that the person allows. */
export async function skiResort({ resort, screen, ...options }) {
  const ww = await WatchWise.open(options);
  const named = ({ path, data }) => ({ id: path.split("/").at(-1), ...data });
  ww.doc(`resorts/${resort}`).watch(({ value, fromCache }) => screen.resort(value?.data ?? null, fromCache));
  ww.collection(`resorts/${resort}/lifts`).watch(({ items }) => screen.lifts(items.map(named)));
  ww.collection(`resorts/${resort}/slopes`).watch(({ items }) => screen.slopes(items.map(named)));
  ww.inbox.watch(({ items }) => screen.warnings(items));
  return {
    favour: () => ww.topics.follow(`resort:${resort}`),
    // Critical warnings break through quiet hours and mutes, unless the person says no.
    allow: levels => ww.preferences.set({ levels }),
    seenAll: upTo => ww.inbox.seen({ upTo }),
    close: () => ww.close(),
  };
}
