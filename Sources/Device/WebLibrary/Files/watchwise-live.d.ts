// Types of watchwise-live.js, the small library: a connection with its events, counts and inbox, without a store.

import { Answers, Counts, EventName, EventOf, Notification, Off, Options, Request, ServerEvent, State, WatchOptions } from "./watchwise.js";
import { CommandName, Commands } from "./watchwise-protocol.js";

export { Counts, Notification, Off, ServerEvent, State, WatchWiseError } from "./watchwise.js";
export * from "./watchwise-protocol.js";

export interface LiveOptions extends Pick<Options, "server" | "token" | "user" | "device" | "locale" | "client" | "webSocket" | "connect"> {}

/** What a list or a value of the server is now; `complete` is false while the device is not in step with the server. */
export interface LiveList<T> {
  items: T[];
  complete: boolean;
}

export interface LiveValue<T> {
  value: T;
  complete: boolean;
}

export class WatchWise {
  private constructor();
  /** Connects; it does not wait for the connection. */
  static open(options: LiveOptions): Promise<WatchWise>;
  /** Null until the server has said it, or the options. */
  readonly user: string | null;
  readonly device: string | null;
  readonly state: State;
  readonly serverTime: number;
  connect(): void;
  disconnect(): Promise<void>;
  /** For good. */
  close(): Promise<void>;
  on(type: "state", listener: (state: State) => void): Off;
  on<Name extends EventName>(type: Name, listener: (event: EventOf<Name>) => void): Off;
  on(type: string, listener: (event: ServerEvent) => void): Off;
  /** All events of the server from now on. */
  events(): AsyncIterableIterator<ServerEvent>;
  /** Any command that is answered, sent once; throws, also after 30 s without an answer. */
  request: Request;
  /** A command of the moment, of which nobody waits for the answer. */
  tell<Name extends CommandName>(command: { type: Name } & Commands[Name]): void;
  readonly unread: { watch(told: (unread: LiveValue<Counts>) => void, options?: WatchOptions): Off };
  readonly inbox: {
    list(options?: { before?: string; limit?: number; unread?: boolean }): Promise<{ notifications: Notification[]; next?: string }>;
    seen(which: { upTo: number } | { ids: string[] }): Promise<Answers["seen"]>;
    archive(ids: string[]): Promise<Answers["archive"]>;
    snooze(ids: string[], until: Date | string): Promise<Answers["snooze"]>;
    /** The newest ones, 50 without a limit. */
    watch(told: (inbox: LiveList<Notification>) => void, options?: WatchOptions & { limit?: number }): Off;
  };
}
