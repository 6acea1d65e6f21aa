// The film network: a feed, chats with recommendations, films, and people to follow.

import { h } from "../shell/dom.js";
import { here } from "../shell/here.js";
import { t } from "../shell/words.js";
import { go, nameOf, route } from "../shell/frame.js";
import { watchAll, profileOf } from "./data.js";
import { drawHome } from "./home.js";
import { drawChats } from "./chats.js";
import { pair } from "./chat.js";
import { beginMembership, membersOf } from "./membership.js";
import { drawRoom } from "./members.js";
import { beginSearch } from "./search.js";
import { beginBlocks, blockedList } from "./blocks.js";
import { keepEnd, markRead, showChat } from "./conversation.js";
import { drawPeople, drawUser, drawCinema, drawFilm, drawFilms } from "./people.js";

const pages = { home: drawHome, chats: drawChats, room: drawRoom, people: drawPeople, user: drawUser, person: drawCinema, film: drawFilm, films: drawFilms };

export const application = {
  sign: "film", first: "home", kinds: ["recommendation", "follower", "release", "credit", "season", "review"],

  tabs: () => [
    { id: "home", sign: "home", label: t("home") }, { id: "chats", sign: "chat", label: t("chats"), count: here.unread.chats },
    { id: "films", sign: "film", label: t("films") }, { id: "people", sign: "people", label: t("people") },
  ],

  begin() {
    here.profileOf = profileOf;
    watchAll();
    beginMembership();
    beginBlocks();
    beginSearch();
    document.addEventListener("visibilitychange", markRead);
  },

  draw(at) {
    if (at[0] !== "chats") showChat(undefined);
    return (pages[at[0]] ?? drawHome)(at);
  },

  drawn() {
    keepEnd();
    markRead();
  },

  /** Those of whom it is shown whether they are online. */
  people() {
    const [page, id] = route();
    return [...here.chats.map(one => one.with).filter(Boolean),
      ...(page === "room" && membersOf(id) || []).map(({ user }) => user).filter(user => user !== here.user)];
  },

  /** How a conflict names the members of a profile. */
  conflict: { label: name => name, value: (name, value) => name === "picture" ? t("pictureN", { n: (value ?? 0) + 1 }) : value },

  /** What the settings have here beside those of every application: a title and its content. */
  settings: () => [[t("blockedPeople"), blockedList(), h("p", { class: "hint" }, t("blockedHint"))]],

  keepsFocus: ([page, id]) => page === "chats" && Boolean(id),

  heard: message => `${nameOf(message.from)}: ${message.product ? message.product.title ?? message.product.id : message.text ?? ""}`,

  /** A notification leads to where it happened. */
  follow({ kind, data = {} }) {
    if (kind === "recommendation") return go("chats", pair(data.from));
    if (data.user) return go("user", data.user);
    if (kind === "review") return go("user", data.author);
    if (data.product) return go("film", data.product);
    return go(data.series ? "people" : "inbox");
  },
};

