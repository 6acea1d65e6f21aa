// How long a command may be: the server ends the connection at a message that is longer than it takes.

/** The longest message of a server that has not said another one: its default. */
export const MESSAGE_BYTES = 131_072;
/** What a message may have besides the command as it was written: `id`, `ifVersion`, a longer key. */
const FRAME_BYTES = 64;

const UTF8 = new TextEncoder();

/** The bytes of a command as JSON. */
export function byteCount(command) {
  return UTF8.encode(JSON.stringify(command)).length;
}

/** The bytes that a command of this size has at most as it is sent. */
export function frameBytes(bytes) {
  return bytes + FRAME_BYTES;
}

/** @param {number} [limit] that of the server; without it the server has closed the connection because of the size */
export function tooLarge(bytes, limit) {
  const about = limit === undefined ? "the server has ended the connection because of its size" : `the server takes at most ${limit}`;
  return { code: "too-large", class: "permanent", message: `the command has up to ${frameBytes(bytes)} bytes as it is sent; ${about}` };
}
