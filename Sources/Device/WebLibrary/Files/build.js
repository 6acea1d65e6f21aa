// Which sources this is made of. Files of two builds do not go together: one may have been kept by a cache.

/** `deploy/library` puts the name of the sources in. */
export const BUILD = globalThis.LIBRARY_BUILD ?? "";
