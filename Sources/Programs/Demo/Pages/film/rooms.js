// Rooms of several people: made, named, and left; people are invited into them, and taken out.

import { h } from "../shell/dom.js";
import { here, doing, say } from "../shell/here.js";
import { t } from "../shell/words.js";
import { avatar, nameOf, go } from "../shell/frame.js";
import { others } from "./data.js";
import { openDialog } from "./dialogs.js";
import { titleOf } from "./chat.js";
import { membersOf } from "./membership.js";

const TITLE_MAX = 100;

/** Says who was asked, and who cannot be: the others are members. */
function sayBrought({ invited = [], leftOut = [] }) {
  const line = (key, people) => people.length ? [t(key, { names: people.map(nameOf).join(", ") })] : [];
  const lines = [...line("room.invited", invited), ...line("room.leftOut", leftOut)];
  if (lines.length) say(lines.join(" "));
}

/** The invitations of this user, to accept or decline; nothing without any. */
export function drawInvitations() {
  if (!here.invitations.length) return null;
  return h("ul", { id: "invitations", class: "persons" }, here.invitations.map(({ chat, title, by }) => h("li", { key: chat, "data-chat": chat },
    h("div", { class: "person" }, avatar(by), h("span", { class: "grow" }, h("strong", { dir: "auto" }, title),
      h("small", { dir: "auto" }, t("room.invitedBy", { name: nameOf(by) }))),
    h("div", { class: "row" }, h("button", { type: "button", class: "primary small accept", click: () => doing(here.ww.invitations.accept(chat)).done.then(() => go("chats", chat), () => {}) },
      t("room.accept")),
    h("button", { type: "button", class: "quiet framed small decline", click: () => doing(here.ww.invitations.decline(chat)) }, t("room.decline")))))));
}

const nameField = title => h("label", { class: "field" }, h("span", {}, t("room.name")),
  h("input", { id: "room-name", name: "title", maxlength: TITLE_MAX, required: true, pattern: ".*\\S.*", autocomplete: "off", dir: "auto", value: title }));

const personChoice = id => h("label", { class: "choice" }, h("input", { type: "checkbox", name: "member", value: id }), avatar(id),
  h("span", {}, nameOf(id)));

const peopleChoice = (ids, label) => h("fieldset", { class: "choices" }, h("legend", { class: "unseen" }, label), ids.map(personChoice));

/** Makes a room. It is there when the server has made it. */
export function makeRoom() {
  openDialog("room-dialog", t("room.new"), [nameField(""), h("p", { class: "fieldTitle" }, t("room.people")), peopleChoice(others(), t("room.people"))],
    t("room.create"), data => {
      if (here.state.name !== "live") say(t("room.waits"));
      doing(here.ww.rooms.create(data.get("title").trim(), data.getAll("member"))).done.then(brought => { go("chats", brought.chat); sayBrought(brought); }, () => {});
    });
}

/** Invites people who are not in it. */
export function inviteTo(id) {
  const inside = new Set((membersOf(id) ?? []).map(({ user }) => user));
  const outside = others().filter(user => !inside.has(user));
  openDialog("invite-dialog", t("room.inviteTo", { title: titleOf(id) }),
    [outside.length ? peopleChoice(outside, t("people")) : h("p", {}, t("room.everybody"))], t("room.invite"), data => {
      const chosen = data.getAll("member");
      if (chosen.length) doing(here.ww.rooms.invite(id, chosen)).done.then(sayBrought, () => {});
    });
}

/** Gives it another name. */
export function renameRoom(id) {
  openDialog("rename-dialog", t("room.rename"), [nameField(titleOf(id))], t("save"),
    data => doing(here.ww.rooms.update(id, { title: data.get("title").trim() })));
}

/** Takes a member out of it, after a question. */
export function removeMember(id, user) {
  const name = nameOf(user);
  openDialog("remove-dialog", t("room.removeAsk", { name, title: titleOf(id) }), [h("p", {}, t("room.removeHint", { name }))], t("room.remove"),
    () => doing(here.ww.rooms.remove(id, user)));
}

/** Makes a member one more owner, after a question: it cannot be taken back. */
export function makeOwner(id, user) {
  openDialog("owner-dialog", t("room.ownerAsk", { name: nameOf(user) }), [h("p", {}, t("room.ownerHint"))], t("room.makeOwner"),
    () => doing(here.ww.rooms.role(id, user, "owner")));
}

/** Leaves it. */
export function leaveRoom(id) {
  openDialog("leave-dialog", t("room.leaveAsk", { title: titleOf(id) }), [h("p", {}, t("room.leaveHint"))], t("room.leave"), () => {
    doing(here.ww.rooms.leave(id));
    go("chats");
  });
}
