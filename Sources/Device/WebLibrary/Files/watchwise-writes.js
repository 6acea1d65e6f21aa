// What a page needs when it is shown already: all that writing needs but the handle of a write, what a connection watches besides the
// user's own events, and a store in memory for a disk that refuses. It is loaded while somebody looks at the first list; until then
// writes wait in the store.

export { BUILD } from "./build.js";
export { LAYERS } from "./layers.js";
export { WatchedPaths } from "./paths.js";
export { PresenceLists, WatchedPeople } from "./presence.js";
export { Sending } from "./sending.js";
export { MemoryStore } from "./store-memory.js";
export { trim, writeTrimmed } from "./trimming.js";
export { typingIn } from "./typing.js";
