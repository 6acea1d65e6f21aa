// How long a command may be: the server ends the connection at a message that is longer than it takes.

/** The longest message of a server that has not said another one: its default. */
export const MESSAGE_BYTES = 131_072;
/** What a message may have besides the command as it was written: `id`, `ifVersion`, a longer key. */
const FRAME_BYTES = 64;

/** What an outbox has at most: entries, and bytes of their commands. */
export const OUTBOX = { entriesMax: 1000, bytesMax: 8 * 1024 * 1024 };

const UTF8 = new TextEncoder();

/** The bytes of a command as JSON. */
export function byteCount(command) {
  return UTF8.encode(JSON.stringify(command)).length;
}

/** The bytes that a command of this size has at most as it is sent. */
export function frameBytes(bytes) {
  return bytes + FRAME_BYTES;
}

export const OUTBOX_FULL = { code: "outbox-full", class: "storage", message: "too many writes wait for the server" };

/** @param {number} [limit] that of the server; without it the server has closed the connection because of the size */
export function tooLarge(bytes, limit) {
  const about = limit === undefined ? "the server has ended the connection because of its size" : `the server takes at most ${limit}`;
  return { code: "too-large", class: "permanent", message: `the command has up to ${frameBytes(bytes)} bytes as it is sent; ${about}` };
}
