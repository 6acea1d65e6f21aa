// React Native and the like: no pushes of browsers, no streams of `fetch`, no files of Node. The store is the application's.

export const parts = {};
