// The one type of error that this library throws.

/**
 * What went wrong. `kind` is the contract's class (`permanent`, `retry`, `auth`, `limit`) or one of this library:
 * `storage`, `closed`, `cancelled`. `code` is for programs, `message` for people.
 */
export class WatchWiseError extends Error {
  constructor(kind, code, message, more = {}) {
    super(message ?? code);
    this.name = "WatchWiseError";
    this.kind = kind;
    this.code = code;
    for (const name of ["field", "retryAfterMs", "current"]) if (more[name] !== undefined) this[name] = more[name];
  }

  /** The error of a reply; a conflict's `version` and `data` are its `current`. */
  static from(error) {
    if (error instanceof WatchWiseError) return error;
    const current = error.current ?? (error.version === undefined ? undefined : { version: error.version, data: error.data ?? null });
    return new WatchWiseError(error.class, error.code, error.message, { ...error, current });
  }
}

/** Calls a function of the app. What it throws is the app's own: the library goes on, and the page sees it. */
export function callApp(body, value) {
  try {
    body(value);
  } catch (error) {
    Promise.reject(error);
  }
}
