// Dragging, by mouse, finger and pen alike: a mouse drags as soon as it moves, a finger after it has stayed for a moment,
// so that one can still scroll.

import { changed } from "./dom.js";

const HOLD_MS = 300;
const SLIP = 8;
/** How near to an edge one drags to scroll, and how far each frame scrolls, in pixels. */
const EDGE = 48;
const STEP = 12;

let drag = null;

/** What is dragged, `{id, over}`: the id, and the place that it is above; null when nothing is. */
export const dragged = () => drag?.ghost ? { id: drag.id, over: drag.over } : null;

function begin() {
  const { card, x, y } = drag;
  const box = card.getBoundingClientRect();
  const ghost = drag.ghost = card.cloneNode(true);
  ghost.classList.add("ghost");
  ghost.setAttribute("aria-hidden", "true");
  ghost.style.setProperty("width", `${box.width}px`);
  document.body.append(ghost);
  Object.assign(drag, { left: x - box.left, top: y - box.top });
  navigator.vibrate?.(15);
  getSelection().removeAllRanges();
  follow();
  scroll();
  changed();
}

function follow() {
  const { ghost, x, y, left, top } = drag;
  ghost.style.setProperty("translate", `${x - left}px ${y - top}px`);
  // A finger at the edge of the screen means the place beside it.
  const frame = drag.card.closest(drag.places)?.parentElement.getBoundingClientRect();
  const near = frame && x < frame.left + SLIP ? frame.left + SLIP : frame && x > frame.right - SLIP ? frame.right - SLIP : x;
  const over = document.elementFromPoint(near, y)?.closest(drag.places) ?? null;
  if (over !== drag.over) {
    drag.over = over;
    changed();
  }
}

/** Near an edge, what lies beyond comes into sight. */
function scroll() {
  if (!drag?.ghost) return;
  for (let box = drag.card.parentElement; box; box = box.parentElement) {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    const step = (at, from, to) => at < from + EDGE ? -STEP : at > to - EDGE ? STEP : 0;
    if (box.scrollWidth > box.clientWidth) box.scrollLeft += step(drag.x, Math.max(0, left), Math.min(innerWidth, right));
    if (box.scrollHeight > box.clientHeight) box.scrollTop += step(drag.y, Math.max(0, top), Math.min(innerHeight, bottom));
  }
  follow();
  requestAnimationFrame(scroll);
}

function move(event) {
  if (event.pointerId !== drag.pointer) return;
  const isFar = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > SLIP;
  if (!drag.ghost && !isFar) return;
  if (!drag.ghost && !drag.isMouse) return end();  // the finger scrolls
  Object.assign(drag, { x: event.clientX, y: event.clientY });
  if (drag.ghost) follow();
  else begin();
}

function up(event) {
  if (event.pointerId !== drag.pointer) return;
  const { ghost, over, drop } = drag;
  end();
  if (!ghost) return;
  // The button of the mouse goes up over what was dragged: this is no click.
  const stop = click => { click.preventDefault(); click.stopPropagation(); };
  addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, true));
  if (over) drop(over);
}

const escape = event => event.key === "Escape" && end();
const listeners = { pointermove: move, pointerup: up, pointercancel: () => end(), keydown: escape, blur: () => end() };

function end() {
  if (!drag) return;
  clearTimeout(drag.timer);
  drag.ghost?.remove();
  drag = null;
  for (const [type, listener] of Object.entries(listeners)) removeEventListener(type, listener);
  changed();
}

// A finger scrolls, unless the browser is asked not to: before it touches, or the browser does not wait for the answer.
addEventListener("touchmove", event => drag?.ghost && event.preventDefault(), { passive: false });

/** Handlers for what can be dragged: `drop` takes the place, one of those that the selector `places` names. */
export function draggable(id, places, drop) {
  return {
    pointerdown: event => {
      if (drag || event.button !== 0 || event.target.closest("button, input")) return;
      const isMouse = event.pointerType === "mouse";
      drag = { id, places, drop, isMouse, pointer: event.pointerId, card: event.currentTarget, x: event.clientX, y: event.clientY, over: null };
      if (!isMouse) drag.timer = setTimeout(begin, HOLD_MS);
      for (const [type, listener] of Object.entries(listeners)) addEventListener(type, listener);
    },
    // The menu of a link.
    contextmenu: event => drag && !drag.isMouse && event.preventDefault(),
  };
}
