import { StreamWatches } from "./stream-watches.js";
import { userOf } from "./users.js";
// Where WebSocket is blocked: events as Server-Sent Events, read by `fetch` because an `EventSource` cannot bear a token,
// and commands by POST. It speaks to the session's machine as a WebSocket does. Loaded only there.

/** Commands that the server takes over a WebSocket only. */
const SOCKET_ONLY = new Set(["presence", "focus", "device"]);
/** These have a position, and are none of the events that a beat counts. */
const NOT_COUNTED = new Set(["live", "beat"]);
/** No answer says the server's heartbeat; this is its default. */
const HEARTBEAT_MS = 25_000;
/** How long the answer to a request may take to begin. */
const BEGIN_MS = 10_000;

/** One connection, from `open` until it ends; its requests follow one another when other paths are watched. */
export class EventStream {
  isStream = true;

  constructor(server, take) {
    this.server = server.endsWith("/") ? server : `${server}/`;
    this.take = input => this.isOpen && take(input);
    this.isOpen = true;
    this.abort = new AbortController();
    this.watches = new StreamWatches(message => this.take({ receive: message }), () => this.request());
    this.place = null;  // of the last event
    this.written = null;  // where the last write stands
    this.count = 0;     // events that a beat counts
    queueMicrotask(() => this.take({ opened: true }));
  }

  send(message) {
    const { type, id } = message;
    if (type === "hello") return this.ok ? this.renew(message) : this.start(message);
    if (type === "watch") return this.watches.watch(message);
    if (type === "unwatch") return this.watches.unwatch(message);
    if (!SOCKET_ONLY.has(type)) return void this.post(message);
    const error = { code: "unavailable", class: "permanent", message: `${type} needs a WebSocket, and the network blocks it` };
    if (id !== undefined) queueMicrotask(() => this.take({ receive: { re: id, error } }));
  }

  close() {
    this.isOpen = false;
    this.watches.close();
    this.abort.abort();
    this.reading?.abort();
  }

  /** The stream goes on with the old token; a new one serves what is sent from now on, and the next request. */
  renew({ id, token }) {
    this.token = token;
    queueMicrotask(() => this.take({ receive: { re: id, ok: { ...this.ok, ...this.person } } }));
  }

  /** The server does not say over a stream whose it is; the token does. */
  get person() {
    const user = userOf(this.token);
    return user && { user };
  }

  start({ id, token, device, since, locale }) {
    this.token = token;
    this.hello = { id, device, since };
    this.query = new URLSearchParams(Object.entries({ device, locale }).filter(([, value]) => value));
    if (since) this.place = `${since.epoch}.${since.seq}`;
    this.request();
  }

  /** The fields of each request: what the last write did is seen, also by another node. */
  get fields() {
    return { Authorization: `Bearer ${this.token}`, ...(this.written && { "Read-After": this.written }) };
  }

  /** Asks for the stream from the last event on. The request before is no longer listened to, and ends when this one begins. */
  async request() {
    const before = this.reading;
    const reading = this.reading = new AbortController();
    const isCurrent = () => reading === this.reading;
    this.countBefore = this.count;
    this.early = [];
    this.watches.begin();
    const timer = setTimeout(() => reading.abort(), BEGIN_MS);
    try {
      const headers = { ...this.fields, ...(this.place && { "Last-Event-ID": this.place }) };
      const address = `${this.server}v1/events?${this.query}${this.watches.query}`;
      const answer = await fetch(address, { headers, signal: reading.signal, cache: "no-store" }).finally(() => {
        clearTimeout(timer);
        before?.abort();
      });
      if (!answer.ok) return this.refused(await answer.json(), isCurrent());
      this.time ??= new Date(answer.headers.get("Date") ?? Date.now()).toISOString();
      await this.read(answer.body, (message, place) => isCurrent() && this.receive(message, place));
      if (isCurrent()) this.take({ ended: { lost: "the stream has ended" } });
    } catch (error) {
      if (isCurrent()) this.take({ ended: { lost: error.message } });
    }
    return undefined;
  }

  refused(error, isCurrent) {
    if (!isCurrent) return;
    if (error.field === "watch" && this.watches.refused(error)) this.request();
    else if (this.ok) this.take({ ended: { lost: error.message } });
    else this.take({ receive: { re: this.hello.id, error } });
  }

  receive(message, place) {
    if (!this.ok) return this.welcome(message, place);
    if (place) {
      if (epochOf(place) !== this.ok.epoch) return this.take({ ended: { lost: "another history of events has begun" } });
      this.place = place;
    }
    const { type, seq, events } = message;
    if (type === "documents") return this.watches.page(message);
    if (type === "unwatched") return this.watches.ended(message);
    if (Number.isInteger(seq) && !NOT_COUNTED.has(type)) this.count += 1;
    // Each request counts from 0.
    return this.take({ receive: type === "beat" ? { ...message, events: events + this.countBefore } : message });
  }

  /** The first place tells the epoch, which the answer to `hello` has over a WebSocket. */
  welcome(message, place) {
    this.early.push(message);
    if (!place) return;
    const { id, device, since } = this.hello;
    const unread = this.early.find(event => event.type === "unread") ?? { chats: 0, notifications: 0 };
    this.ok = {
      ...this.person, device, epoch: epochOf(place), seq: since?.seq ?? Number(place.slice(place.lastIndexOf(".") + 1)), heartbeat: HEARTBEAT_MS,
      time: this.time, unread: { chats: unread.chats, notifications: unread.notifications },
    };
    this.take({ receive: { re: id, ok: this.ok } });
    for (const event of this.early) this.receive(event, event === message ? place : null);
  }

  /** Reads `id:` and `data:` lines; an empty line ends an event, and a comment shows that the connection lives. */
  async read(body, take) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let [rest, data, place] = ["", "", null];
    while (true) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith("data:")) data += line.slice(5);
        else if (line.startsWith("id:")) place = line.slice(3).trim();
        else if (line.startsWith(":")) this.take({ heard: true });
        else if (line.trim() === "" && data) {
          take(JSON.parse(data), place);
          [data, place] = ["", null];
        }
      }
    }
  }

  async post(message) {
    try {
      // The next request may come to another node.
      const headers = { ...this.fields, "Content-Type": "application/json" };
      const posted = { method: "POST", headers, body: JSON.stringify(message), signal: this.abort.signal };
      const answer = await fetch(`${this.server}v1/commands`, posted);
      const body = await answer.json();
      this.written = answer.headers.get("Read-After") ?? this.written;
      if (message.id === undefined) return;
      this.take({ receive: answer.ok ? { ...body, re: message.id } : { re: message.id, error: body.error ?? body } });
    } catch (error) {
      this.take({ ended: { lost: error.message } });
    }
  }
}

/** The epoch of `EPOCH.SEQ`. */
function epochOf(place) {
  return place.slice(0, place.lastIndexOf("."));
}
