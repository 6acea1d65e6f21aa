import * as writes from "./watchwise-writes.js";
// React Native and the like: no pushes of browsers, no streams of `fetch`, no files of Node. The store is the application's. What a
// page loads later is there at once, since the bundle of an application has it.

export const parts = { writes: async () => writes };
