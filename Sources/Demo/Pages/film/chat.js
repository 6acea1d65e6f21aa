// What chats are: of two people, or rooms of several.

import { h } from "../shell/dom.js";
import { here } from "../shell/here.js";
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

/** What a chat is called: the room's name, or the other's. */
export const titleOf = id => isRoom(id) ? chatOf(id)?.title ?? t("group") : nameOf(otherOf(id));

/** The picture of a chat. */
export const pictureOf = id => isRoom(id) ? h("span", { class: "avatar kindSign" }, sign("people")) : avatar(otherOf(id));

/** The chat for the library: a chat of two begins with its first message. */
export const handleOf = id => here.ww.chat(isRoom(id) ? id : { with: otherOf(id) });
