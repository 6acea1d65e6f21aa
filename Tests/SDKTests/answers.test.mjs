// Answers that did not come, against the real program.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Server, pause, shown, until, webSocket } from "./served.mjs";
import { WatchWise } from "../../Sources/Device/WebLibrary/Files/watchwise.js";
import { WatchWise as Live } from "../../Sources/Device/WebLibrary/Files/watchwise-live.js";

let server;
before(async () => {
  server = await new Server("gaps").start();
  await server.befriend("alice", "bob");
  for (let n = 1; n <= 5; n++) await server.command("bob", { type: "send", to: "alice", text: `${n}`, key: `k${n}` });
});
after(() => server.end());

/** A class of sockets that answers the first questions for a page in the server's place. */
function answering(...answers) {
  return class extends webSocket {
    static asked = 0;

    send(text) {
      const { id, type } = JSON.parse(text);
      const Sockets = this.constructor;
      const answer = type === "history" ? answers[Sockets.asked++] : undefined;
      if (answer === undefined) super.send(text);
      else queueMicrotask(() => this.onmessage({ data: JSON.stringify({ re: id, ...answer }) }));
    }
  };
}

const open = sockets => WatchWise.open({ server: server.address, token: async () => server.token("alice"), webSocket: sockets });

test("a page that a list lacks is asked for again when it did not come, and the list becomes complete by itself", async () => {
  const sockets = answering({ ok: {} }, { ok: { messages: "none" } });
  const ww = await open(sockets);
  const list = shown(ww.chat("alice:bob"));
  await until(() => sockets.asked > 0, "asked");
  assert.equal(list.complete, false);
  await until(() => list.complete && list.items.length === 5, () => `${JSON.stringify(list.items)} after ${sockets.asked}`);
  assert.ok(sockets.asked >= 3);
  await ww.close();
});

test("one that is refused for good is not asked for by itself, and not when nobody watches any more", async () => {
  const sockets = answering(...Array.from({ length: 50 }, () => ({ error: { code: "forbidden", class: "permanent", message: "no" } })));
  const ww = await open(sockets);
  const list = shown(ww.chat("alice:bob"));
  const stays = async counted => {
    await until(() => counted.asked > 0, "asked");
    await pause(500);
    const before = counted.asked;
    await pause(2500);
    assert.equal(counted.asked, before);
  };
  await stays(sockets);
  assert.equal(list.complete, false);
  await ww.close();
  const others = answering(...Array.from({ length: 50 }, () => ({ ok: {} })));
  const other = await open(others);
  const left = shown(other.chat("alice:bob"));
  await until(() => others.asked > 0, "asked");
  left.off();
  await stays(others);
  await other.close();
});

/** A class of sockets that lose the connection in place of the first answer to a command. */
function losing(type) {
  return class extends webSocket {
    static lost = 0;
    #id;

    send(text) {
      const command = JSON.parse(text);
      if (command.type === type) this.#id = command.id;
      super.send(text);
    }

    set onmessage(take) {
      super.onmessage = event => {
        const { re } = JSON.parse(event.data);
        if (re === undefined || re !== this.#id || this.constructor.lost > 0) return take(event);
        this.constructor.lost += 1;
        return this.close();
      };
    }

    get onmessage() {
      return super.onmessage;
    }
  };
}

for (const [name, client] of [["the library", WatchWise], ["the small library", Live]]) test(`a command that is sent again, because its answer was lost, is done once: ${name}`, async () => {
  const sockets = losing("room.create");
  const ww = await client.open({ server: server.address, token: async () => server.token("alice"), webSocket: sockets });
  await until(() => ww.state.name === "live", "live");
  const title = `once in ${name}`;
  const { chat } = await ww.request({ type: "room.create", title, members: ["bob"] });
  assert.equal(sockets.lost, 1);
  const { rooms } = await ww.request({ type: "rooms" });
  assert.deepEqual(rooms.filter(room => room.title === title).map(room => room.chat), [chat]);
  await ww.close();
});
