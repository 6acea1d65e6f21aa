// Where WebSocket is blocked: events as Server-Sent Events, read by `fetch` because an `EventSource` cannot bear a token,
// and commands by POST. It speaks to the session's machine as a WebSocket does.

/** Commands that the server takes over a WebSocket only. */
const SOCKET_ONLY = new Set(["watch", "unwatch", "presence", "focus", "device"]);
/** The server's heartbeat is not told here; this is its default. */
const HEARTBEAT_MS = 25_000;

/** One stream, from `open` until it ends. */
export class EventStream {
  constructor(server, take) {
    this.server = server.endsWith("/") ? server : `${server}/`;
    this.take = input => this.isOpen && take(input);
    this.isOpen = true;
    this.abort = new AbortController();
    queueMicrotask(() => this.take({ opened: true }));
  }

  send(message) {
    if (message.type === "hello") return this.ok ? this.renew(message) : void this.start(message);
    if (!SOCKET_ONLY.has(message.type)) return void this.post(message);
    const error = { code: "unavailable", class: "permanent", message: `${message.type} needs a WebSocket, and the network blocks it` };
    if (message.id !== undefined) queueMicrotask(() => this.take({ receive: { re: message.id, error } }));
  }

  close() {
    this.isOpen = false;
    this.abort.abort();
  }

  /** The stream goes on with the old token; a new one serves what is sent from now on, and the next stream. */
  renew({ id, token }) {
    this.token = token;
    queueMicrotask(() => this.take({ receive: { re: id, ok: this.ok } }));
  }

  async start({ id, token, device, since, locale }) {
    this.token = token;
    const query = new URLSearchParams(Object.entries({ device, locale }).filter(([, value]) => value));
    const headers = { Authorization: `Bearer ${token}`, ...(since && { "Last-Event-ID": `${since.epoch}.${since.seq}` }) };
    try {
      const answer = await fetch(`${this.server}v1/events?${query}`, { headers, signal: this.abort.signal, cache: "no-store" });
      if (!answer.ok) return this.take({ receive: { re: id, error: await answer.json() } });
      const time = new Date(answer.headers.get("Date") ?? Date.now()).toISOString();
      const early = [];
      await this.read(answer.body, (message, place) => {
        if (this.ok) return this.take({ receive: message });
        early.push(message);
        if (!place) return undefined;
        // The first place tells the epoch, which the answer to `hello` has over a WebSocket.
        const dot = place.lastIndexOf(".");
        const unread = early.find(event => event.type === "unread") ?? { chats: 0, notifications: 0 };
        this.ok = {
          device, epoch: place.slice(0, dot), seq: since?.seq ?? Number(place.slice(dot + 1)), heartbeat: HEARTBEAT_MS, time,
          unread: { chats: unread.chats, notifications: unread.notifications },
        };
        this.take({ receive: { re: id, ok: this.ok } });
        for (const event of early) this.take({ receive: event });
        return undefined;
      });
      this.take({ ended: { lost: "the stream has ended" } });
    } catch (error) {
      this.take({ ended: { lost: error.message } });
    }
  }

  /** Reads `id:` and `data:` lines; an empty line ends an event, and a comment shows that the connection lives. */
  async read(body, told) {
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
          told(JSON.parse(data), place);
          [data, place] = ["", null];
        }
      }
    }
  }

  async post(message) {
    try {
      const headers = { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" };
      const posted = { method: "POST", headers, body: JSON.stringify(message), signal: this.abort.signal };
      const answer = await fetch(`${this.server}v1/commands`, posted);
      const body = await answer.json();
      if (message.id === undefined) return;
      this.take({ receive: answer.ok ? { ...body, re: message.id } : { re: message.id, error: body.error ?? body } });
    } catch (error) {
      this.take({ ended: { lost: error.message } });
    }
  }
}
