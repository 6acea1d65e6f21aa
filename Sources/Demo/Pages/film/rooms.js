// Rooms of several people: made, named, and left; people are invited into them.

import { h, changed } from "../shell/dom.js";
import { here, doing, say, whyNot } from "../shell/here.js";
import { t } from "../shell/words.js";
import { avatar, nameOf, go } from "../shell/frame.js";
import { others } from "./data.js";
import { openDialog } from "./dialogs.js";
import { chatOf, titleOf } from "./chat.js";

const TITLE_MAX = 100;
const members = new Map();

/** The members of a room, `{user, role}`, as far as they are known. */
export function membersOf(id) {
  if (!members.has(id)) {
    members.set(id, []);
    read(id);
  }
  return members.get(id);
}

async function read(id) {
  try {
    const answer = await here.ww.request({ type: "room.members", chat: id, limit: 200 });
    members.set(id, answer.members);
    changed();
  } catch {
    members.delete(id);  // asked again with the next connection
  }
}

/** Rooms change while one looks at them. */
export function beginRooms() {
  here.ww.on("room", ({ chat }) => members.has(chat) && read(chat));
  here.ww.on("state", ({ name }) => name === "live" && members.clear());
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
      doing(here.ww.rooms.create(data.get("title").trim(), data.getAll("member"))).done.then(({ chat }) => go("chats", chat), () => {});
    });
}

/** Invites people who are not in it. */
export function inviteTo(id) {
  const inside = new Set(membersOf(id).map(({ user }) => user));
  const outside = others().filter(user => !inside.has(user));
  openDialog("invite-dialog", t("room.inviteTo", { title: titleOf(id) }),
    [outside.length ? peopleChoice(outside, t("people")) : h("p", {}, t("room.everybody"))], t("room.invite"), data => {
      const chosen = data.getAll("member");
      if (chosen.length) doing(here.ww.rooms.invite(id, chosen));
    });
}

/** Gives it another name. */
export function renameRoom(id) {
  openDialog("rename-dialog", t("room.rename"), [nameField(chatOf(id)?.title ?? "")], t("save"), data =>
    here.ww.request({ type: "room.update", chat: id, title: data.get("title").trim() }).catch(error => say(whyNot(error))));
}

/** Shows who is in it. */
export function showMembers(id) {
  const rows = membersOf(id).map(({ user, role }) => h("li", {}, avatar(user), h("span", { class: "grow" }, nameOf(user)),
    role === "member" ? null : h("span", { class: "chip faint" }, t(`role.${role}`))));
  openDialog("members-dialog", t("room.membersTitle", { title: titleOf(id) }), [h("ul", { class: "rows" }, rows)]);
}

/** Leaves it. */
export function leaveRoom(id) {
  openDialog("leave-dialog", t("room.leaveAsk", { title: titleOf(id) }), [h("p", {}, t("room.leaveHint"))], t("room.leave"), () => {
    doing(here.ww.rooms.leave(id));
    go("chats");
  });
}

/** Whether this user may invite and rename. */
export const isModerator = id => ["owner", "moderator"].includes(chatOf(id)?.role);
