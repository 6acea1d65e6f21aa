import { WatchWise } from "./watchwise.js";

const TOPIC = "topic:feed:announcements";

/** Announcements of a department: the list, whether there is something new, and one message a day for those who want it. */
export async function announcements({ screen, ...options }) {
  const ww = await WatchWise.open(options);
  ww.collection("announcements").watch(({ items, fromCache }) => screen.list(
    items.map(({ data }) => data).sort((one, other) => one.published < other.published ? 1 : -1), fromCache));
  ww.inbox.watch(({ items }) => screen.news(items.filter(({ seen }) => !seen)));
  ww.preferences.watch(({ value }) => screen.digest(value?.digest?.[TOPIC] ?? null));
  return {
    subscribe: () => ww.topics.follow("feed:announcements"),
    daily: time => ww.preferences.set({ digest: { [TOPIC]: time ? `daily ${time}` : null } }),
    read: notification => ww.inbox.seen({ ids: [notification.id] }),
    close: () => ww.close(),
  };
}
