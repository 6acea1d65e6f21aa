import { openedName } from "./store.js";
// What a store need not keep.

/** How much is kept of a chat that was opened within 30 days, and of others; of the inbox; and of documents that nobody watches. */
const KEPT = { messagesOpened: 5000, messages: 500, openedMs: 30 * 86_400_000, inbox: 1000, documentsMs: 7 * 86_400_000 };

/**
 * Deletes what need not be kept: old messages, old notifications, documents that nobody watches. A range of messages that
 * was deleted is a gap, which `history` fills.
 * @param {number} now milliseconds since 1970; only differences of days count
 * @param {Set<string>} [options.shown] chats of which nothing goes, since somebody looks at them
 * @param {Set<string>} [options.wanted] paths that somebody watches, or wants to
 * @returns {Promise<{chats: Map<string, number>, paths: string[], changes: object[]}>} the chats of which messages went, with the
 *   number below which they did, the paths whose documents went, and all that was changed
 */
export async function trimStore(store, now, { bounds = KEPT, leader, shown = new Set(), wanted = new Set() } = {}) {
  const changes = [];
  const [chats, paths] = [new Map(), []];
  for (const chat of await store.range("chats", { index: "seq", reverse: true })) {
    const openedAt = (await store.get("meta", openedName(chat.chat)))?.value ?? 0;
    const isOpened = now - openedAt < bounds.openedMs;
    const below = chat.top - (isOpened ? bounds.messagesOpened : bounds.messages) + 1;
    if (below <= 1 || shown.has(chat.chat) || chat.gaps[0]?.[0] === 1 && chat.gaps[0][1] >= below - 1) continue;
    chats.set(chat.chat, below);
    changes.push({ deleteMessages: chat.chat, below }, { put: ["chats", withoutBelow(chat, below)] });
  }
  const notifications = await store.range("inbox", { index: "seq", reverse: true });
  for (const { id } of notifications.slice(bounds.inbox)) changes.push({ delete: ["inbox", id] });
  for (const watch of await store.range("watches", {})) {
    if (watch.isActive || wanted.has(watch.path) || now - watch.usedAt < bounds.documentsMs) continue;
    paths.push(watch.path);
    changes.push({ delete: ["watches", watch.path] });
    const below = await store.range("documents", { index: "collection", is: watch.path });
    for (const { path } of below) changes.push({ delete: ["documents", path] });
    changes.push({ delete: ["documents", watch.path] });
  }
  if (changes.length) await store.write(changes, { leader });
  return { chats, paths, changes };
}

/** Trims the store of a `Core` that leads, and is in step with the server. */
export async function trim(core) {
  const { engine, lists, needs, store } = core;
  if (core.state.name !== "live" || !engine) return;
  const shown = new Set([...lists].map(({ source }) => source.chat).concat([...needs.looking.values()].map(({ chat }) => chat)));
  try {
    await engine.batch.exclusively(async () => {
      const { paths, changes } = await trimStore(store, Date.now(), { leader: engine.leader, shown, wanted: engine.wantedPaths });
      core.trimmed(paths, changes);
    });
  } catch (error) {
    core.storeFailed(error);
  }
}

/** Writes into a store that had no room, once some is made. `trimmed` as for `LastingStore`. */
export async function writeTrimmed(store, changes, options, trimmed) {
  const { chats, paths, changes: gone } = await trimStore(store, Date.now(), options);
  trimmed(paths, gone);
  // What is written was thought out before: its chats know nothing of the gaps yet.
  const again = ({ put }) => put?.[0] === "chats" && chats.has(put[1].chat);
  return store.write(changes.map(change => again(change)
    ? { put: ["chats", withoutBelow(change.put[1], chats.get(change.put[1].chat))] } : change), options);
}

/** A chat of which messages below a number are not here. */
function withoutBelow(chat, below) {
  const gaps = chat.gaps.map(([from, to]) => [Math.max(from, below), to]).filter(([from, to]) => from <= to);
  if (gaps[0]?.[0] === below) gaps[0] = [1, gaps[0][1]];
  else gaps.unshift([1, below - 1]);
  return { ...chat, gaps };
}
