// Types of watchwise.js. Those of the commands, the answers and the events are in watchwise-protocol.d.ts.

import { Answers, CommandName, Commands, EventName, EventOf, JsonObject } from "./watchwise-protocol.js";

export * from "./watchwise-protocol.js";

export type ErrorKind = "permanent" | "retry" | "auth" | "limit" | "storage" | "closed" | "cancelled";

/** The one type of error. `kind` is the contract's class, or one of this library's. */
export class WatchWiseError extends Error {
  constructor(kind: ErrorKind, code: string, message?: string, more?: { field?: string; retryAfterMs?: number; current?: Version });
  readonly kind: ErrorKind;
  readonly code: string;
  readonly field?: string;
  readonly retryAfterMs?: number;
  /** In a conflict: the document as it is now. */
  readonly current?: Version;
}

export interface Version<T = JsonObject> {
  /** 0 where there is none. */
  version: number;
  data: T | null;
}

export type State =
  | { name: "idle" | "connecting" | "catching-up" | "live" | "offline" | "closed" }
  | { name: "waiting"; until: number; attempt: number }
  /** There is no token; or, with a `reason`, the tokens are refused: then another one is asked for from time to time. */
  | { name: "signed-out"; reason?: string }
  /** The code is `other-user` when the token is another person's than the store's. */
  | { name: "blocked"; code?: number | string; reason?: string };

export type Pending = "queued" | "sent" | "uncertain" | "blocked" | "failed";

/** A write: `kept` when it survives everything, `done` when the server has done it. Neither has to be awaited. */
export interface WriteHandle<Ok = { seq: number }> {
  readonly key: string;
  readonly state: "keeping" | Pending | "done" | "cancelled";
  /** `durable` is false where only memory keeps it. */
  readonly kept: Promise<{ durable: boolean }>;
  /** `{}` when the tab has ended that heard the server's answer. */
  readonly done: Promise<Ok>;
  /** Resolves with whether it was taken back; what has left cannot be. */
  cancel(): Promise<boolean>;
}

export type Change<T> =
  | { kind: "add" | "change" | "remove"; index: number; item: T }
  | { kind: "move"; from: number; index: number; item: T };

/** What a live list tells: all items, and the steps from those before. Neither is to be changed; what stayed the same is the same object. */
export interface Snapshot<T> {
  items: T[];
  changes: Change<T>[];
  /** Whether the device is not in step with the server. */
  fromCache: boolean;
  /** Whether nothing is missing. */
  complete: boolean;
  /** Whether `more` would show further items. */
  hasMore: boolean;
  /** Why it cannot be watched. */
  error?: WatchWiseError;
}

export interface Value<T> extends Snapshot<T> {
  value: T | null;
}

export type Off = () => void;

/** A list that is watched; calling it ends it. */
export interface Listing {
  (): void;
  /** Shows this number of further items, 50 without a number: earlier chats, messages and notifications, the next of others. */
  more(count?: number): void;
}

export interface WatchOptions {
  signal?: AbortSignal;
}

export interface LimitedWatchOptions extends WatchOptions {
  /** How many are shown at first: 50 messages, 200 chats or notifications, and all of others, if it is not said. */
  limit?: number;
}

export interface Product {
  id: string;
  title?: string;
  year?: number;
  poster?: string;
}

export interface Message {
  chat: string;
  /** Absent as long as the message waits. */
  n?: number;
  seq?: number;
  from: string;
  at?: string;
  key?: string;
  text?: string;
  product?: Product;
  replyTo?: number;
  rev?: number;
  editedAt?: string;
  deleted?: true;
  reactions?: { emoji: string; count: number; mine: boolean }[];
  pending?: Pending;
  error?: { code: string; class: string; message: string };
}

export type Role = "owner" | "moderator" | "member";

export interface RoomMember {
  user: string;
  role: Role;
  joined: string;
  /** The time until when this member may not write. */
  muted?: string;
}

export interface Room {
  chat: string;
  title: string;
  open: boolean;
  posting: "all" | "moderators";
  history: "joined" | "all";
  pace: number;
  /** How many there are. */
  members: number;
  created: string;
  /** Absent for a room that the user is not in. */
  role?: Role;
}

/** Somebody invites the user into a room. */
export interface Invitation {
  chat: string;
  title: string;
  /** The person who invites. */
  by: string;
  at: string;
  /** When it ends by itself. */
  expires: string;
}

/** What became of people who were wanted in a room; a list without anybody is absent. */
export interface Brought {
  seq: number;
  /** They are members now. */
  members?: string[];
  /** They may accept or decline. */
  invited?: string[];
  /** They are neither. */
  leftOut?: string[];
}

export interface ChatItem {
  chat: string;
  with?: string;
  title?: string;
  role?: Role;
  members?: number;
  profile?: JsonObject;
  last?: Message;
  unread: number;
  read?: number;
  peerRead?: number;
  delivered?: number;
  muted?: boolean;
  archived?: boolean;
}

export type Level = "passive" | "active" | "time-sensitive" | "critical";

export interface Notification {
  id: string;
  seq: number;
  kind: string;
  level: Level;
  title: string;
  body: string;
  data: JsonObject;
  topic: string;
  topics?: string[];
  at: string;
  expires?: string;
  collapse?: string;
  alert?: false;
  reason?: string;
  seen: boolean;
}

export interface DocumentItem<T = JsonObject> {
  path: string;
  version: number;
  data: T;
  pending?: Pending;
}

export interface Counts {
  chats: number;
  notifications: number;
}

export interface OutboxEntry {
  key: string;
  command: Command;
  lane: string;
  state: Pending;
  error: { code: string; class: string; message: string; current?: Version } | null;
  firstSent: number | null;
}

export interface Command {
  type: string;
  [field: string]: unknown;
}

/** Sends a command. One that these types do not know, of a later server, needs the type of its answer, or has any. */
export interface Request {
  <Name extends CommandName>(command: { type: Name } & Commands[Name], options?: { timeoutMs?: number }): Promise<Answers[Name]>;
  <Ok = any, Type extends string = string>(command: Command & { type: Type extends CommandName ? never : Type }, options?: { timeoutMs?: number }): Promise<Ok>;
}

/** An event as it comes; `event as EventOf` is one of those that these types know. */
export interface ServerEvent {
  type: string;
  seq?: number;
  [member: string]: any;
}

export interface Sent {
  chat: string;
  n: number;
  seq: number;
  at: string;
}

export interface Page {
  messages: Message[];
  next?: string;
}

export interface Chat {
  readonly id: string;
  send(text: string, options?: { replyTo?: number }): WriteHandle<Sent>;
  recommend(product: Product, options?: { note?: string }): WriteHandle<Sent>;
  edit(n: number, text: string): WriteHandle<{ seq: number; rev: number }>;
  delete(n: number): WriteHandle;
  react(n: number, emoji: string, on?: boolean): WriteHandle;
  read(n: number): WriteHandle;
  archive(on?: boolean): WriteHandle;
  /** To be called with each key: it is said every 3 s at most, and ends 5 s after the last call, or with `send`. */
  typing(on?: boolean): void;
  history(options?: { before?: number; after?: number; limit?: number }): Promise<Page>;
  watch(told: (snapshot: Snapshot<Message>) => void, options?: LimitedWatchOptions): Listing;
}

export interface DocumentReference<T = JsonObject> {
  readonly path: string;
  get(): Promise<DocumentItem<T> | null>;
  put(data: T, options?: { ifVersion?: number }): WriteHandle<DocumentOk<T>>;
  /** A merge patch (RFC 7396): null removes a member. */
  patch(data: JsonObject, options?: { ifVersion?: number }): WriteHandle<DocumentOk<T>>;
  remove(options?: { ifVersion?: number }): WriteHandle<DocumentOk<T>>;
  watch(told: (snapshot: Value<DocumentItem<T>>) => void, options?: WatchOptions): Off;
}

export interface DocumentOk<T = JsonObject> {
  path: string;
  version: number;
  seq?: number;
  data?: T;
  warnings?: string[];
}

export interface CollectionReference<T = JsonObject> {
  readonly path: string;
  list(): Promise<DocumentItem<T>[]>;
  watch(told: (snapshot: Snapshot<DocumentItem<T>>) => void, options?: LimitedWatchOptions): Listing;
}

export interface Conflict {
  key: string;
  path: string;
  mine: { type: "put" | "patch" | "remove"; path: string; data?: JsonObject };
  /** What the write was made on; null when that was not known. */
  base: Version | null;
  current: Version;
}

export interface Options {
  /** The address of the server, with its path if it has one. */
  server: string;
  /** Asked at each connect, and when a token runs out; null signs out, and an error is tried again. */
  token: (about: { reason: "open" | "connect" | "expiring" }) => Promise<string | null> | string | null;
  /** Who this is; else it is read from the token, or without a network it is the last user of this server. */
  user?: string;
  locale?: string;
  client?: string;
  /** The name of this device; chosen once, and kept in the store. */
  device?: string;
  /** Node: the path of a file, which one process has at a time (else `open` throws `in-use`), or "memory" (without it: memory). Browsers: a name, or "memory" (without it: by server and user). Or a store of the application. */
  storage?: string | Store;
  /** The class of sockets, where the system has none: `open` throws without it. Browsers and Node 22 have one. */
  webSocket?: new (address: string, protocol: string) => any;
  /** false: the first `connect()` connects. */
  connect?: boolean;
  onConflict?: (conflict: Conflict) => Choice | Promise<Choice>;
}

/** The row of a table. */
export type Row = { [member: string]: any };

/** One thing that a write does. */
export type StoreChange =
  | { put: [table: string, row: Row] }
  | { delete: [table: string, key: any] }
  | { clear: string }
  | { deleteMessages: string; below?: number }
  | { moveMessages: [chat: string, to: string] }
  | { keepEntry: Row & { key: string; order?: number } }
  | { removeEntry: string };

/**
 * A store of an application. The class `SQLiteStore` of `watchwise/sqlite` is one for each SQLite. A store that has a member
 * `terms` finds there, when `open` is called, the tables with their keys and indexes, and the error `LeaderLost`.
 */
export interface Store {
  /** Whether what it has survives the end of the process. */
  isDurable: boolean;
  terms?: unknown;
  open(taken?: (reason: { name: string }) => void): Promise<Store>;
  /** A row, or null. */
  get(table: string, key: any): Promise<any>;
  /** Rows in the order of an index; `from` and `to` are bounds, included, of its last column, and `is` is its first column. */
  range(table: string, query: { index?: string; is?: any; from?: any; to?: any; reverse?: boolean; limit?: number }): Promise<any[]>;
  /** All changes or none; returns the orders of the entries that were kept, by key. */
  write(changes: StoreChange[], options?: { durable?: boolean; leader?: string }): Promise<{ [key: string]: number }>;
  /** All rows, by table. */
  all(): Promise<{ [table: string]: any[] }>;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

export type Choice = "mine" | "theirs" | JsonObject;

export interface StorageEvent {
  /**
   * "memory": no room, or no database (any more); "outdated": a newer page needs it, reload; "copied": another device has a copy of the store;
   * "failing": it is tried again; with the reason "not-loaded" writes wait for `watchwise-writes.js`.
   */
  state: "memory" | "outdated" | "failing" | "copied";
  reason?: string;
}

/** `denied` by the person; `unavailable`: the server sends none, or was not reached yet; `unsupported` by the browser. */
export type PushState = "on" | "off" | "denied" | "unavailable" | "unsupported";

export interface PushOptions {
  /** Of the application's own service worker, which handles pushes; without it `watchwise-worker.js` is registered. */
  registration?: ServiceWorkerRegistration;
  /** The address of `watchwise-worker.js`, on the page's origin; without it, it lies beside `watchwise.js`. */
  worker?: string;
  /** The scope of that worker; without it one in its own folder for each user, which takes no pages of the application. */
  scope?: string;
  /** The address that a click opens; without it that of the page. */
  open?: string;
  /** `hidden`: the push has no content. */
  privacy?: "full" | "hidden";
  /** The counts of which the badge of the application consists, as the server's setting `push-badge`: `both` without it. */
  badge?: "chats" | "notifications" | "both";
  /**
   * An address of the application that answers a token, as text or as the member `token` of an object, to a request with the person's
   * cookies. With it the worker registers the new subscription that a browser makes in place of another while no page is open.
   */
  tokenUrl?: string;
}

/** The entry that a click on a notification was about. A push with `privacy: "hidden"` names no chat. */
export interface Opened {
  id?: string;
  chat?: string;
  n?: number;
}

/** What `watchwise-worker.js` makes global in a service worker that imports it. */
export interface WatchWiseWorker {
  /** What the server has sent; null when somebody else has. */
  read(event: any): { notification?: JsonObject; ww?: JsonObject; [member: string]: any } | null;
  /** How it is shown. */
  draw(push: object | null, proposed?: any): { title: string; options: any };
  /** Shows a push, closes what was taken back, and sets the badge. */
  push(event: any): Promise<void>;
  /** After `notificationclick`: an open page hears it, or one is opened. */
  click(event: any): Promise<unknown>;
  /** After `pushsubscriptionchange`: another subscription. */
  renew(event: any): Promise<void>;
  /** Handles the three events. */
  listen(): void;
}

export class WatchWise {
  private constructor();
  static open(options: Options): Promise<WatchWise>;
  readonly user: string;
  readonly device: string;
  readonly state: State;
  connect(): void;
  disconnect(): Promise<void>;
  /** For good. What is kept goes out when the library is opened again. */
  close(): Promise<void>;
  /** Ends pushes to this browser and the other tabs of this user, closes and deletes the store; `force` when writes wait. */
  signOut(options?: { force?: boolean }): Promise<void>;
  on(type: "state", listener: (state: State) => void): Off;
  on(type: "storage", listener: (event: StorageEvent) => void): Off;
  on(type: "push", listener: (state: PushState) => void): Off;
  /** Somebody clicked on a notification: on one of this page, or on the one that has opened it. */
  on(type: "opened", listener: (opened: Opened) => void): Off;
  on<Name extends EventName>(type: Name, listener: (event: EventOf<Name>) => void): Off;
  on(type: string, listener: (event: ServerEvent) => void): Off;
  /** All events of the server from now on. */
  events(): AsyncIterableIterator<ServerEvent>;

  readonly chats: {
    list(options?: { before?: string; limit?: number }): Promise<{ chats: ChatItem[]; next?: string }>;
    watch(told: (snapshot: Snapshot<ChatItem>) => void, options?: LimitedWatchOptions): Listing;
  };
  chat(which: string | { with: string }): Chat;
  readonly rooms: {
    create(title: string, members?: string[], more?: { open?: boolean; posting?: "all" | "moderators"; history?: "joined" | "all" }): WriteHandle<Brought & { chat: string }>;
    invite(chat: string, members: string[]): WriteHandle<Brought>;
    join(chat: string): WriteHandle;
    leave(chat: string): WriteHandle;
    update(chat: string, changes: { title?: string; open?: boolean; posting?: "all" | "moderators"; history?: "joined" | "all"; pace?: number }): WriteHandle;
    /** `ban` keeps the person out, until a time or for good; `ban: false` ends that. */
    remove(chat: string, user: string, more?: { ban?: boolean; until?: Date | string; reason?: string }): WriteHandle;
    role(chat: string, user: string, role: Role): WriteHandle;
    /** The member writes no more until then; without a time, the member may write again. */
    mute(chat: string, user: string, until?: Date | string): WriteHandle;
    members(chat: string, options?: { after?: string; limit?: number }): Promise<{ members: RoomMember[]; count: number; next?: string }>;
    /** The user's rooms; with `open` all open ones. */
    list(options?: { open?: boolean; after?: string; limit?: number }): Promise<{ rooms: Room[]; next?: string }>;
  };
  /** Invitations into rooms that wait for the user's answer. */
  readonly invitations: {
    list(options?: { after?: string; limit?: number }): Promise<{ invitations: Invitation[]; count: number; next?: string }>;
    /** The user is a member when the write is done. */
    accept(chat: string): WriteHandle;
    /** The person who invited hears nothing of it. */
    decline(chat: string): WriteHandle;
    watch(told: (snapshot: Snapshot<Invitation>) => void, options?: WatchOptions): Off;
  };
  readonly presence: {
    /**
     * All lists of all tabs are watched together: 200 people, the last ones that were asked for. `complete: false`: not all of
     * these are known, as before the first answer, offline, or while the network blocks WebSocket.
     */
    watch(users: string[], told: (snapshot: { items: { user: string; online: boolean; lastSeen?: string }[]; complete: boolean }) => void, options?: WatchOptions): Off;
  };
  block(user: string): WriteHandle;
  unblock(user: string): WriteHandle;
  report(user: string, about?: { chat?: string; n?: number; category?: string; reason?: string }): WriteHandle<{ report: string; seq: number }>;
  readonly topics: {
    follow(topic: string): WriteHandle<{ seq: number; followers?: number }>;
    unfollow(topic: string): WriteHandle<{ seq: number; followers?: number }>;
    list(): Promise<string[]>;
    isFollowed(topic: string): Promise<boolean>;
    followers(topic: string, options?: { after?: string; limit?: number }): Promise<{ users: string[]; next?: string; count: number }>;
    watch(told: (snapshot: Snapshot<{ topic: string; pending?: Pending }>) => void, options?: LimitedWatchOptions): Listing;
  };
  readonly inbox: {
    list(options?: { before?: string; limit?: number; unread?: boolean }): Promise<{ notifications: Notification[]; next?: string }>;
    seen(which: { upTo: number } | { ids: string[] }): WriteHandle<{ unread: number; seq: number }>;
    /** They go from every device and from the lists, for good. */
    archive(ids: string[]): WriteHandle<{ unread: number; seq: number }>;
    snooze(ids: string[], until: Date | string): WriteHandle<{ unread: number; seq: number; until: string }>;
    watch(told: (snapshot: Snapshot<Notification>) => void, options?: LimitedWatchOptions): Listing;
  };
  /** The server's counts, less what waits takes: never more. */
  readonly unread: { watch(told: (snapshot: Value<Counts & { confirmed: Counts }>) => void, options?: WatchOptions): Off };
  doc<T = JsonObject>(path: string): DocumentReference<T>;
  collection<T = JsonObject>(path: string): CollectionReference<T>;
  readonly preferences: {
    get(): Promise<JsonObject>;
    set(patch: JsonObject): WriteHandle<JsonObject>;
    watch(told: (snapshot: Value<JsonObject>) => void, options?: WatchOptions): Off;
  };
  /** Any command that is answered; throws, also after 30 s without an answer: then it is not sent any more. */
  request: Request;
  readonly outbox: {
    list(): OutboxEntry[];
    watch(told: (entries: OutboxEntry[]) => void): Off;
    retry(key: string): Promise<boolean>;
    discard(key: string): Promise<boolean>;
  };
  readonly push: {
    readonly state: PushState;
    /** In a click. Throws `push-unsupported`, `push-denied` or `push-unavailable`. */
    enable(options?: PushOptions): Promise<void>;
    disable(): Promise<void>;
  };
  readonly storage: { estimate(): Promise<{ usage?: number; quota?: number }> };
}
