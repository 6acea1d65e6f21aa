import { WatchWise } from "./watchwise.js";

/** A board of tasks: the same on all devices of one person, also without a network. */
export async function taskBoard({ screen, ...options }) {
  const ww = await WatchWise.open({
    ...options,
    // Another device changed the same member meanwhile: what this person sees on the screen wins, but for a title.
    onConflict: ({ mine, current }) => mine.type === "patch" && "title" in mine.data ? "theirs" : "mine",
  });
  const home = `users/${ww.user}`;
  ww.collection(`${home}/columns`).watch(({ items }) => screen.columns(items.map(({ path, data }) => ({ id: path.split("/").at(-1), ...data }))));
  ww.collection(`${home}/tasks`).watch(({ items, complete }) => screen.tasks(
    items.map(({ path, data, pending }) => ({ id: path.split("/").at(-1), ...data, isWaiting: Boolean(pending) })), complete));
  ww.inbox.watch(({ items }) => screen.reminders(items.filter(({ seen }) => !seen)));
  return {
    addColumn: (id, title) => ww.doc(`${home}/columns/${id}`).put({ title }),
    add: (id, task) => ww.doc(`${home}/tasks/${id}`).put(task),
    change: (id, members) => ww.doc(`${home}/tasks/${id}`).patch(members),
    move: (id, column) => ww.doc(`${home}/tasks/${id}`).patch({ column }),
    remove: id => ww.doc(`${home}/tasks/${id}`).remove(),
    snooze: (id, until) => ww.inbox.snooze([id], until),
    goOffline: () => ww.disconnect(), goOnline: () => ww.connect(),
    close: () => ww.close(),
  };
}
