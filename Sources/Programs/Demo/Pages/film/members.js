// The page of a room: its members with their roles, and for those who may, a menu on each.

import { h } from "../shell/dom.js";
import { here, doing } from "../shell/here.js";
import { t, moment } from "../shell/words.js";
import { avatar, nameOf, pageTitle, emptyState, pendingMark, to } from "../shell/frame.js";
import { sign } from "../shell/drawn.js";
import { openMenu } from "../shell/menu.js";
import { chatOf, titleOf, isMuted, muteChat } from "./chat.js";
import { membersOf, closedOf, closedText, isModerator } from "./membership.js";
import { inviteTo, renameRoom, leaveRoom, removeMember, makeOwner } from "./rooms.js";

const RANKS = ["member", "moderator", "owner"];
const HOUR = 3_600_000;

const rankOf = role => RANKS.indexOf(role);

/** The items of a member's menu for this user: an owner gives roles, and everybody governs those of a lesser one. */
function actions(id, { user, role, muted }) {
  const own = chatOf(id)?.role;
  if (user === here.user) return [];
  const { rooms } = here.ww;
  const give = wanted => () => doing(rooms.role(id, user, wanted));
  const mute = milliseconds => () => doing(rooms.mute(id, user, new Date(Date.now() + milliseconds)));
  const governs = rankOf(own) > rankOf(role);
  return [
    own === "owner" && role === "member" && { label: t("room.makeModerator"), sign: "up", act: give("moderator") },
    own === "owner" && role === "moderator" && { label: t("room.makeMember"), sign: "down", act: give("member") },
    own === "owner" && role !== "owner" && { label: t("room.makeOwner"), sign: "people", act: () => makeOwner(id, user) },
    governs && !muted && { label: t("room.muteHour"), sign: "block", act: mute(HOUR) },
    governs && !muted && { label: t("room.muteDay"), sign: "block", act: mute(24 * HOUR) },
    governs && muted && { label: t("room.unmute"), sign: "check", act: () => doing(rooms.mute(id, user)) },
    governs && { label: t("room.remove"), sign: "out", isDanger: true, act: () => removeMember(id, user) },
  ].filter(Boolean);
}

function row(id, member) {
  const { user, role, joined, muted } = member;
  const may = actions(id, member);
  const label = t("room.memberMenu", { name: nameOf(user) });
  return h("li", { key: user, "data-user": user, "data-role": role, "data-muted": Boolean(muted) }, avatar(user),
    h("span", { class: "grow" }, h("a", { href: to("user", user) }, nameOf(user), user === here.user ? ` (${t("you")})` : ""),
      h("small", {}, muted ? t("room.mutedUntil", { time: moment(muted) }) : t("room.since", { date: moment(joined) }))),
    pendingMark(member), role === "member" ? null : h("span", { class: "chip faint" }, t(`role.${role}`)),
    may.length ? h("button", { type: "button", key: "menu", class: "icon memberMenu", "aria-haspopup": "menu", "aria-label": label,
      click: event => openMenu(event.currentTarget, label, may) }, sign("dots")) : null);
}

const ordered = members => [...members].sort((one, other) => rankOf(other.role) - rankOf(one.role) || nameOf(one.user).localeCompare(nameOf(other.user)));

const button = (id, name, label, act, more = {}) => h("button", { type: "button", id, class: "quiet framed", click: act, ...more }, sign(name), label);

/** A room that is closed for this user: why, and a way on. */
export const drawClosed = closed => h("div", { class: "nothing" }, h("h2", {}, closedText(closed)), closed.change ? h("p", {}, t("room.closedHint")) : null,
  h("a", { class: "button quiet framed", href: to("chats") }, sign("chat"), t("room.toChats")));

/** The page. */
export function drawRoom([, id]) {
  const closed = closedOf(id);
  if (closed) return h("div", { class: "narrow", id: "closed" }, pageTitle(closed.title ?? t("group")), drawClosed(closed));
  const members = membersOf(id);
  const count = members?.length ?? chatOf(id)?.members;
  return h("div", { class: "narrow" },
    h("div", { class: "hero" }, h("span", { class: "avatar big kindSign" }, sign("people")), h("div", { class: "grow" },
      pageTitle(titleOf(id)), count === undefined ? null : h("p", {}, t("room.count", { n: count }))),
      h("div", { class: "row heroRow" }, h("a", { class: "button primary", href: to("chats", id) }, sign("chat"), t("room.toChat")),
        isModerator(id) && button("room-invite", "plus", t("room.invite"), () => inviteTo(id)),
        isModerator(id) && button("room-rename", "pen", t("room.rename"), () => renameRoom(id)),
        button("room-mute", isMuted(id) ? "bell" : "mute", t(isMuted(id) ? "unmuteChat" : "muteChat"), () => muteChat(id, !isMuted(id))),
        button("room-leave", "out", t("room.leave"), () => leaveRoom(id), { class: "quiet framed danger" }))),
    h("section", { class: "card", "aria-label": t("room.members") }, h("h2", {}, t("room.members")),
      members ? h("ul", { class: "rows", id: "members" }, ordered(members).map(member => row(id, member)))
        : emptyState(t(here.state.name === "live" ? "loading" : "room.unknown"))));
}
