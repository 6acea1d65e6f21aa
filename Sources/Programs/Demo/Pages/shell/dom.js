// How things get on the screen: elements are made from values, and what is there becomes like them. Text enters only as
// text.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, properties, children) {
  made.handlers = {};
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("data-")) {
      made.setAttribute(name, String(value));
      continue;
    }
    if (value === false) continue;
    if (name === "key") made.key = value;
    else if (name === "keep") made.isKept = value;
    else if (name === "vars") for (const [variable, text] of Object.entries(value)) made.style.setProperty(variable, text);
    else if (name === "value" && made.tagName !== "OPTION" && made.tagName !== "BUTTON") made.given = made.value = value;
    else if (name === "checked" || name === "selected") made[name] = made.defaultChecked = value;
    else if (typeof value === "function") made.handlers[name] = made[`on${name}`] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false && child !== ""));
  return made;
}

/**
 * An element. Functions are handlers, by the names of their events; `key` names it among its siblings; `keep` leaves its
 * children alone after the first time; `vars` are custom properties.
 */
export const h = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);

/** An element of a drawing. */
export const s = (tag, properties = {}, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

const isLike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && one.key === other.key;

function become(there, wanted) {
  if (there.nodeType === Node.TEXT_NODE) {
    if (there.nodeValue !== wanted.nodeValue) there.nodeValue = wanted.nodeValue;
    return;
  }
  for (const { name } of [...there.attributes]) if (!wanted.hasAttribute(name)) there.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (there.getAttribute(name) !== value) there.setAttribute(name, value);
  for (const name of Object.keys(there.handlers ?? {})) if (!(name in wanted.handlers)) there[`on${name}`] = null;
  for (const [name, handler] of Object.entries(wanted.handlers)) there[`on${name}`] = handler;
  there.handlers = wanted.handlers;
  if (wanted.isKept) return;
  if (wanted.given !== undefined && wanted.given !== there.given) there.value = there.given = wanted.given;
  if (there.type === "checkbox" || there.type === "radio") there.checked = wanted.checked;
  if (there.tagName === "OPTION" && there.selected !== wanted.selected) there.selected = wanted.selected;
  placeAll(there, [...wanted.childNodes]);
}

function placeAll(parent, nodes) {
  const keys = new Set(nodes.map(node => node.key));
  for (const child of [...parent.childNodes]) if (child.key !== undefined && !keys.has(child.key)) child.remove();
  const keyed = new Map([...parent.childNodes].filter(child => child.key !== undefined).map(child => [child.key, child]));
  let at = parent.firstChild;
  for (const node of nodes) {
    const found = node.key !== undefined ? keyed.get(node.key) : at && at.key === undefined ? at : null;
    if (!found || !isLike(found, node)) {
      parent.insertBefore(node, at);
      continue;
    }
    if (found === at) at = at.nextSibling;
    else parent.insertBefore(found, at);
    become(found, node);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Makes the children of an element like these; the focus stays where it is as long as its element does. */
export function place(parent, ...nodes) {
  const focused = document.activeElement;
  placeAll(parent, nodes.flat(Infinity).filter(Boolean));
  if (focused && focused !== document.body && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}

let draw = () => {};
let isPlanned = false;

/** Something may look different now: everything is drawn again, once a turn. */
export function changed() {
  if (isPlanned) return;
  isPlanned = true;
  queueMicrotask(() => {
    isPlanned = false;
    draw();
  });
}

/** Says what draws the page. */
export function drawWith(work) {
  draw = work;
  changed();
}
