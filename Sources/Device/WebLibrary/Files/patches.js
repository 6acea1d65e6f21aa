// Values of JSON: equality, and merge patches (RFC 7396).

/** Whether a value is a JSON object, which a merge patch enters. */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two values of JSON are the same, whatever the order of members. */
export function isSame(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length
    && names.every(name => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

/** A value changed by a merge patch. */
export function mergePatch(value, patch) {
  if (!isObject(patch)) return patch;
  const merged = isObject(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete merged[name];
    else setMember(merged, name, mergePatch(Object.hasOwn(merged, name) ? merged[name] : null, change));
  }
  return merged;
}

/** One patch that does what two do, one after the other; null when only the two can do it. */
export function composePatches(first, second) {
  const composed = { ...first };
  for (const [name, change] of Object.entries(second)) {
    if (!Object.hasOwn(first, name) || !isObject(change)) setMember(composed, name, change);
    // The first puts something else in place of an object, of which the second would leave members.
    else if (!isObject(first[name])) return null;
    else {
      const inner = composePatches(first[name], change);
      if (inner === null) return null;
      setMember(composed, name, inner);
    }
  }
  return composed;
}

/** Whether nothing that a patch touches differs between the document it was made on and the present one. */
export function isUntouched(patch, base, current) {
  return Object.entries(patch).every(([name, change]) => {
    const [before, now] = [memberOf(base, name), memberOf(current, name)];
    return isObject(change) && isObject(before) && isObject(now) ? isUntouched(change, before, now) : isSame(before, now);
  });
}

function memberOf(value, name) {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** As an assignment, but `__proto__` is a name like any other. */
function setMember(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
