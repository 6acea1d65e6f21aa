// Names of devices, tabs and writes.

/** A name that is new each time. */
export function randomName(bytes = 12) {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), byte => byte.toString(16).padStart(2, "0")).join("");
}
