// The parts that are loaded when they are first used. Each path stands here as it is, so that bundlers see it.
// loading-native.js takes the place of this module where there is neither a browser nor Node.

export const parts = {
  writes: () => import("./watchwise-writes.js"),
  push: () => import("./watchwise-push.js"),
  streams: () => import("./watchwise-streams.js"),
  file: () => import("./watchwise-sqlite.js"),
};
