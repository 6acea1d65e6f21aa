// A menu: it opens by a button, by the other button of the pointer and by a long press, it is used by pointer and by
// keyboard, and it gives the focus back when it closes.

import { h } from "./dom.js";
import { sign } from "./drawn.js";

const LONG_PRESS_MS = 500;
/** How far a finger may move while it presses, in pixels. */
const SLIP = 10;
const GAP = 6;

let menu = null;
let opener = null;

/** Closes the menu that is open. */
export function closeMenu() {
  if (!menu) return;
  const hadFocus = menu.contains(document.activeElement);
  menu.parentElement.remove();
  menu = null;
  if (hadFocus && opener.isConnected) opener.focus({ preventScroll: true });
}

function item({ label, sign: name, text, isOn, isDanger, act }) {
  const click = () => {
    closeMenu();
    act();
  };
  const checked = isOn === undefined ? {} : { role: "menuitemcheckbox", "aria-checked": String(isOn) };
  return h("button", { type: "button", role: "menuitem", ...checked, class: isDanger ? "menuItem danger" : "menuItem", tabindex: "-1",
    "aria-label": text ? label : undefined, click }, name ? sign(name) : null, text ?? label);
}

function move(event) {
  const all = [...menu.querySelectorAll("button")];
  const at = all.indexOf(document.activeElement);
  const next = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (event.key === "Escape" || event.key === "Tab") closeMenu();
  else if (next !== undefined) all.at(next % all.length).focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Beside what has opened it, and inside the window. */
function settle(point) {
  const box = opener.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const left = point ? point.x : Math.min(box.left, box.right - width);
  const below = point ? point.y + GAP : box.bottom + GAP;
  const top = below + height > innerHeight - GAP ? (point ? point.y : box.top) - height - GAP : below;
  menu.style.setProperty("left", `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`);
  menu.style.setProperty("top", `${Math.max(GAP, top)}px`);
}

/**
 * Opens a menu beside an element, or at a point of the window. An item is `{label, sign, act}`, perhaps with `isDanger`;
 * items in a list of their own stand in a row, with a `text` instead of their label.
 */
export function openMenu(from, label, items, point) {
  const isSame = menu && opener === from;
  closeMenu();
  if (isSame && !point) return;
  opener = from;
  menu = h("div", { class: "menu", role: "menu", "aria-label": label, keydown: move },
    items.filter(Boolean).map(one => Array.isArray(one) ? h("div", { class: "menuRow", role: "group" }, one.map(item)) : item(one)));
  // A landmark of its own, as everything on the page has one. A dialog lies above everything else.
  (from.closest("dialog") ?? document.body).append(h("section", { "aria-label": label }, menu));
  settle(point);
  menu.querySelector("button").focus({ preventScroll: true });
}

addEventListener("pointerdown", event => menu && !menu.contains(event.target) && !opener.contains(event.target) && closeMenu(), true);
for (const type of ["hashchange", "resize", "blur"]) addEventListener(type, closeMenu);

let pressing = null;
let pressedAt = null;

function endPress() {
  clearTimeout(pressing);
  pressing = null;
}

/** Handlers for an element that has a menu: `act` opens it at a point. Links and selected text keep the browser's own menu. */
export function pressed(act) {
  return {
    contextmenu: event => {
      endPress();
      if (event.target.closest("a") || `${getSelection()}`) return;
      event.preventDefault();
      if (!menu) act({ x: event.clientX, y: event.clientY });
    },
    pointerdown: event => {
      if (event.pointerType === "mouse" || event.target.closest("a, button")) return;
      pressedAt = { x: event.clientX, y: event.clientY };
      pressing = setTimeout(act, LONG_PRESS_MS, pressedAt);
    },
    pointermove: event => pressing && Math.hypot(event.clientX - pressedAt.x, event.clientY - pressedAt.y) > SLIP && endPress(),
    pointerup: endPress, pointercancel: endPress,
  };
}
