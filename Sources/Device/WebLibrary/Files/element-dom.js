// How an element of this library draws: nodes are made of values, and what is there becomes like them. Text enters only as
// text, and styles by their objects, so a page's content security policy needs no exception.

const SVG = "http://www.w3.org/2000/svg";
/** Members of inputs that are set on the object, for their attributes say only how they begin. */
const MEMBERS = ["checked", "selected"];

/** A node. Functions are handlers by the names of their events; `key` names it among its siblings; `given` is the text of a field. */
export function h(tag, properties = {}, ...children) {
  const made = tag === "svg" || tag === "path" ? document.createElementNS(SVG, tag) : document.createElement(tag);
  made.acts = {};
  for (const [name, value] of Object.entries(properties)) {
    if (name === "key") made.key = value;
    else if (name === "given") made.value = made.given = value;
    else if (MEMBERS.includes(name)) made[name] = value;
    // What a handler returns must not end what the browser does.
    else if (typeof value === "function") made.acts[name] = made[`on${name}`] = event => void value(event);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter(child => child || child === 0));
  return made;
}

function become(there, wanted) {
  if (there.nodeType === Node.TEXT_NODE) {
    if (there.data !== wanted.data) there.data = wanted.data;
    return;
  }
  for (const { name } of [...there.attributes]) if (!wanted.hasAttribute(name)) there.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (there.getAttribute(name) !== value) there.setAttribute(name, value);
  for (const name of Object.keys({ ...there.acts, ...wanted.acts })) there[`on${name}`] = wanted.acts?.[name] ?? null;
  there.acts = wanted.acts;
  for (const name of MEMBERS) if (name in there && there[name] !== wanted[name]) there[name] = wanted[name];
  if (wanted.given === undefined) return placeIn(there, [...wanted.childNodes]);
  if (wanted.given !== there.given) there.value = there.given = wanted.given;
}

function placeIn(parent, nodes) {
  const keys = new Set(nodes.map(({ key }) => key));
  const keyed = new Map();
  for (const child of [...parent.childNodes]) {
    if (child.key === undefined) continue;
    if (keys.has(child.key)) keyed.set(child.key, child);
    else child.remove();
  }
  let at = parent.firstChild;
  for (const node of nodes) {
    const found = node.key !== undefined ? keyed.get(node.key) : at?.key === undefined ? at : null;
    if (!found || found !== node && found.nodeName !== node.nodeName) {
      parent.insertBefore(node, at);
      continue;
    }
    if (found === at) at = at.nextSibling;
    else parent.insertBefore(found, at);
    if (found !== node) become(found, node);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Makes the children of a parent like these; a node that is the same object stays as it is. The focus stays as long as its node does. */
export function place(parent, ...nodes) {
  const root = parent.getRootNode();
  const focused = root.activeElement;
  placeIn(parent, nodes.flat(Infinity).filter(Boolean));
  if (focused && focused !== root.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}

const GAP = 8;

/** Shows a panel of the top layer beside an anchor and inside the window: below it, or above where there is no room. */
export function settle(panel, anchor) {
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const { clientWidth, clientHeight } = document.documentElement;
  const isLeft = (getComputedStyle(anchor).direction === "rtl") !== left + right < clientWidth;
  const x = isLeft ? left : right - width;
  const y = bottom + GAP + height > clientHeight && top - GAP > height ? top - GAP - height : bottom + GAP;
  panel.style.setProperty("left", `${Math.max(GAP, Math.min(x, clientWidth - width - GAP))}px`);
  panel.style.setProperty("top", `${Math.max(GAP, Math.min(y, clientHeight - height - GAP))}px`);
}
