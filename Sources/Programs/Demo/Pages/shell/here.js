// The session of this page: the library, and what it tells. Nothing is counted or guessed here.

import { WatchWise } from "../../v1/sdk/watchwise.js";
import { changed } from "./dom.js";
import { decide } from "./conflict.js";
import { speak, languageOf, spoken, t, has } from "./words.js";

const asked = new URLSearchParams(location.search);
const everything = { limit: 200 };

/** What the page shows. Lists are those of the library, as they are now. */
export const here = {
  user: asked.get("user"), device: asked.get("device"), stage: null, ww: null, state: { name: "idle" },
  chats: [], invitations: [], inbox: [], topics: new Map(), unread: { chats: 0, notifications: 0 }, preferences: {}, outbox: [],
  online: new Map(), typing: new Map(), gone: new Map(), isComplete: false, storage: null,
};

const collections = new Map();

/** The documents of a collection, with what waits. The first call begins to watch it. */
export function collection(path) {
  let known = collections.get(path);
  if (!known) {
    known = { items: [], isComplete: false, error: null };
    collections.set(path, known);
    if (here.ww) watchCollection(path, known);
  }
  return known.items;
}

function watchCollection(path, known) {
  here.ww.collection(path).watch(({ items, complete, error }) => {
    Object.assign(known, { items, isComplete: complete, error: error ?? null });
    changed();
  });
}

/** A document of a watched collection. */
export const documentAt = (path, of) => collection(of).find(item => item.path === path);

/** The key of the words for a list that is empty: it is loading, or may not be read, or there is nothing. */
export function emptyWord(path, word = "noneYet") {
  const { isComplete, error } = collections.get(path) ?? {};
  return error ? "refused" : isComplete ? word : "loading";
}

const base = new URL("./", location.href);

/** The person of the cast with an id. */
export const personOf = id => here.stage?.people.find(person => person.id === id);

/** The stage: what plays, and who. The worker keeps it for when there is no network. */
export async function stage() {
  return await (await fetch("demo/stage")).json();
}

async function token() {
  const answer = await fetch(`demo/session?user=${encodeURIComponent(here.user)}`);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()).token;
}

/** Says what happened, for a moment. An error says what to do. */
let ends;
export function say(text) {
  const shown = document.getElementById("alert");
  shown.textContent = text;
  shown.hidden = false;
  clearTimeout(ends);
  ends = setTimeout(() => { shown.hidden = true; }, 6000);
}

/** For ears only: what came while one reads something else. */
export function announce(text) {
  document.getElementById("announce").textContent = text;
}

/** Why the server has refused something: in words of the page's language for what happens to people, else in its own. */
export const whyNot = ({ code, message }) => has(`error.${code}`) ? t(`error.${code}`) : message;

/** A write: it is on the screen at once, marked until it is done; a refusal is said. */
export function doing(write) {
  write.done.catch(error => { if (error.kind !== "cancelled" && error.kind !== "closed") say(`${t("refused")} ${whyNot(error)}`); });
  return write;
}

/** Opens the library of this page's user. Resolves when the lists are told from the store. */
export async function begin(told) {
  const { user, device } = here;
  const cast = personOf(user)?.locale ?? "en";
  const ww = here.ww = await WatchWise.open({
    server: base.href, user, token, locale: languageOf(cast), client: "demo/2",
    onConflict: conflict => decide(conflict, told.conflict),
    ...(device && { device, storage: `watchwise:${base.href}:${user}:${device}` }),
  });
  const keep = name => ({ items, value, complete }) => {
    here[name] = value ?? items;
    here.isComplete = complete;
    changed();
  };
  ww.on("state", state => {
    here.state = state;
    document.body.dataset.connection = state.name;
    if (state.name !== "live") here.online.clear();
    changed();
  });
  ww.on("storage", event => {
    here.storage = event;
    changed();
  });
  ww.on("typing", ({ chat, user: who, on }) => {
    if (who === user) return;
    here.typing.set(chat, on ? Date.now() + 6000 : 0);
    changed();
  });
  ww.on("notification.removed", ({ id, reason }) => {
    const old = here.inbox.find(one => one.id === id);
    if (!old || reason === "replaced") return;
    here.gone.set(id, { ...old, reason, since: Date.now() });
    setTimeout(() => {
      here.gone.delete(id);
      changed();
    }, 5000);
  });
  ww.on("notification", ({ title }) => announce(title));
  ww.on("message", message => {
    here.typing.set(message.chat, 0);
    told.message?.(message);
  });
  document.body.dataset.connection = ww.state.name;
  here.state = ww.state;
  ww.chats.watch(keep("chats"), everything);
  ww.invitations.watch(keep("invitations"));
  ww.inbox.watch(keep("inbox"), everything);
  ww.unread.watch(keep("unread"));
  ww.topics.watch(({ items }) => {
    here.topics = new Map(items.map(item => [item.topic, item]));
    changed();
  });
  ww.preferences.watch(({ value }) => {
    here.preferences = value ?? {};
    const wanted = here.preferences.locale ?? cast;
    if (languageOf(wanted) !== spoken()) speak(wanted).then(changed, () => {});
    changed();
  });
  ww.outbox.watch(entries => {
    here.outbox = entries;
    changed();
  });
  for (const [path, known] of collections) watchCollection(path, known);
  // A name that writes ends, and times grow older.
  setInterval(changed, 15_000);
  return ww;
}

let presenceOf = "";
let endPresence;

/** Whether somebody is online; undefined when that is not known. Everybody who is asked for is watched. */
export function isOnline(user) {
  return here.online.get(user);
}

/** Watches who of these is online, instead of those before. */
export function watchOnline(users) {
  const wanted = [...new Set(users)].sort().slice(0, 200);
  if (wanted.join() === presenceOf || !here.ww) return;
  presenceOf = wanted.join();
  endPresence?.();
  endPresence = here.ww.presence.watch(wanted, ({ items, complete }) => {
    here.online = new Map(complete ? items.map(item => [item.user, item.online]) : []);
    changed();
  });
}

/** Follows a topic, or follows it no longer. */
export function follow(topic, on) {
  doing(on ? here.ww.topics.follow(topic) : here.ww.topics.unfollow(topic));
}
