import { askToken } from "./connection.js";
import { WatchWiseError } from "./errors.js";
// Who uses the library: the user of a token, or without a network the one who was here last.

/** How long a start waits for a token when somebody was here before. */
const TOKEN_MS = 5000;

/** The user of a token that can be read. */
export function userOf(token) {
  try {
    const [, claims] = token.split(".");
    return JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))).sub;
  } catch {
    return undefined;
  }
}

/** Does something with the storage of a page; null where there is none, or it refuses. */
export function attemptStorage(work) {
  try {
    return (globalThis.document && work(globalThis.localStorage)) ?? null;
  } catch {
    return null;
  }
}

/** The user who was last here, by server, in the storage of a page; browsers may refuse it. */
export const lastUser = {
  of(server) {
    return attemptStorage(storage => storage.getItem(`watchwise:${server}`));
  },

  keep(server, user) {
    attemptStorage(storage => storage.setItem(`watchwise:${server}`, user));
  },

  /** Unless somebody else was here since. */
  forget(server, user) {
    if (this.of(server) === user) attemptStorage(storage => storage.removeItem(`watchwise:${server}`));
  },
};

async function askUser(token) {
  const answer = await askToken(token, "open");
  if (answer === null) return null;
  const user = userOf(answer);
  if (!user) throw new WatchWiseError("permanent", "bad-request", "the token cannot be read: say `user`", { field: "user" });
  return user;
}

/**
 * The user who opens the library; null when nobody is signed in.
 * @param {Function} token the source of tokens
 * @param {() => Promise<string | null>} remembered who was here last: asked when the source fails, or is late
 */
export async function findUser(token, remembered) {
  const asked = askUser(token);
  let timer;
  const late = new Promise(resolve => (timer = setTimeout(resolve, TOKEN_MS, undefined)));
  try {
    const user = await Promise.race([asked, late]).finally(() => clearTimeout(timer));
    return user === undefined ? await remembered() ?? await asked : user;
  } catch (error) {
    if (error instanceof WatchWiseError) throw error;
    const user = await remembered();
    if (user === null) throw error;
    return user;
  } finally {
    asked.catch(() => {});  // a late one is found out at the next connection
  }
}
