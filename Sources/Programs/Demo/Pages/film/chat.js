// What chats are: of two people, or rooms of several.

import { h } from "../shell/dom.js";
import { here, doing } from "../shell/here.js";
import { t } from "../shell/words.js";
import { avatar, nameOf } from "../shell/frame.js";
import { sign } from "../shell/drawn.js";

export const isRoom = id => id.startsWith("room:");

/** The chat of this user and another one. */
export const pair = other => [here.user, other].sort().join(":");

/** The other one of a chat of two; the chat itself for a room. */
export const otherOf = id => isRoom(id) ? id : id.split(":").find(one => one !== here.user) ?? here.user;

/** The chat as the list has it; undefined before its first message. */
export const chatOf = id => here.chats.find(one => one.chat === id);

/** The name of a room that waits to be sent, else the one that the server has. */
function roomTitle(id) {
  const renamed = here.outbox.findLast(({ command, state }) => command.type === "room.update" && command.chat === id && command.title && state !== "failed");
  return renamed?.command.title ?? chatOf(id)?.title ?? t("group");
}

/** What a chat is called: the room's name, or the other's. */
export const titleOf = id => isRoom(id) ? roomTitle(id) : nameOf(otherOf(id));

/** The picture of a chat. */
export const pictureOf = id => isRoom(id) ? h("span", { class: "avatar kindSign" }, sign("people")) : avatar(otherOf(id));

/** The chat for the library: a chat of two begins with its first message. */
export const handleOf = id => here.ww.chat(isRoom(id) ? id : { with: otherOf(id) });

/** Whether nothing of a chat notifies this user: for good, or until a time. */
export function isMuted(id) {
  const mute = here.preferences.mute?.chats?.[id];
  return mute === true || mute > new Date().toISOString();
}

/** Lets nothing of a chat notify this user, or lets it again. */
export const muteChat = (id, on) => doing(here.ww.preferences.set({ mute: { chats: { [id]: on ? true : null } } }));
