// Types of watchwise-elements.js: two elements for pages. Importing the file defines them.

import { Notification, WatchWise } from "./watchwise.js";
import { WatchWise as LiveWatchWise } from "./watchwise-live.js";

/** What both elements have. Attributes: `server`, `token` (an address on the page's server), `lang`, `dir`. */
declare class LibraryElement<Library> extends HTMLElement {
  /** The open library: one that the page has given, or the element's own; null before there is one. */
  get library(): Library | null;
  set library(library: Library | null);
  /** Other words than the product's, by their keys; a word with plurals is an object by their categories. */
  words?: { [key: string]: string | { [category: string]: string } };
  /** Begins again: after somebody has signed in, for example. */
  connect(): void;
  addEventListener<Name extends keyof ElementEvents<Library>>(type: Name, listener: (event: ElementEvents<Library>[Name]) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

export interface ElementEvents<Library = WatchWise> {
  /** The library is open, and the element shows what it has. */
  "watchwise-ready": CustomEvent<{ library: Library }>;
  /** Another number of notifications is new. */
  "watchwise-count": CustomEvent<{ notifications: number }>;
  /** A person opens a notification. Without `preventDefault` the page goes to `data.url`, if there is one. */
  "watchwise-open": CustomEvent<Notification>;
}

/** A bell with its inbox. Attributes: `inline`, `seen-on-open`, `worker`. */
export class WatchWiseInbox extends LibraryElement<WatchWise | LiveWatchWise> {
  /** Opens the inbox. */
  show(): void;
  hide(): void;
}

/** A chat with one person or of one room. Attributes: `with` (a user) or `chat` (the id of a chat). */
export class WatchWiseChat extends LibraryElement<WatchWise> {
  /** The name of a user; without it the server's profile says it, or the id is shown. */
  names?: (user: string) => string | undefined | Promise<string | undefined>;
}

declare global {
  interface HTMLElementTagNameMap {
    "watchwise-inbox": WatchWiseInbox;
    "watchwise-chat": WatchWiseChat;
  }
}
