// The clients of the five applications, each against a server with that application's configuration and table.
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Server, folder, until, webSocket } from "./served.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
cpSync(join(here, "samples"), join(folder, "sdk"), { recursive: true });

/** What a page would show: the last words of each function that a client has called. */
function screen() {
  const shown = {};
  return new Proxy({}, { get: (_, name) => name === "then" ? undefined : name === "shown" ? shown : (...words) => (shown[name] = words) });
}

async function stage(application, client, work) {
  const server = await new Server(application, JSON.parse(readFileSync(join(here, `../../deploy/apps/${application}.json`), "utf8"))).start();
  const made = await import(join(folder, "sdk", `${application}.js`));
  const open = async (user, more = {}) => {
    const page = screen();
    const app = await made[client]({ server: server.address, token: async () => server.token(user), webSocket, screen: page, ...more });
    return { app, shown: page.shown };
  };
  const put = (path, data) => server.call("operator", "PUT", `/v1/documents/${path}`, data, { scope: "admin" });
  const lines = readFileSync(join(here, "samples", `${application}.js`), "utf8").trimEnd().split("\n").length;
  assert.ok(lines <= 30, `${lines} lines`);
  await work({ open, put, server });
  await server.end();
}

describe("the clients of five applications", { concurrency: true }, () => {
  test("the film network: advice opens a chat, is answered, and news come", () => stage("film-network", "filmNetwork", async ({ open, put }) => {
    const [anna, marco] = [await open("anna"), await open("marco")];
    await anna.app.follow("marco").done;
    await marco.app.followDirector("525").done;
    await anna.app.recommend("marco", { id: "movie/329865", title: "Arrival" }, "You will like the ending.").done;
    await until(() => marco.shown.chats?.[0][0]?.text === "You will like the ending." || marco.shown.chats?.[0][0]?.text === "Arrival", "the chat list");
    await until(() => marco.shown.news?.[0].some(({ title }) => title.includes("recommends Arrival")), "the news");
    await until(() => marco.shown.badge?.[0] >= 1, "the badge");
    const talk = marco.app.openChat("anna");
    await until(() => marco.shown.messages?.[0].length === 1 && marco.shown.chats[0][0].unread === 0, "read by opening");
    talk.say("I have seen it!");
    await until(() => anna.shown.chats?.[0][0]?.text === "I have seen it!", "the answer");
    await marco.app.review("r1", "movie/329865", 4.5, "Wonderful.").done;
    await assert.rejects(marco.app.review("r2", "movie/1", 1, "x").done.then(() => anna.app.review("r2", "movie/1", 5, "not mine").done), { code: "forbidden" });
    const today = new Date().toISOString().slice(0, 10);
    await put("people/525", { name: "A Director" });
    await put("people/525/credits/movie-1", { job: "Director", title: "A New Film", releaseDate: new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10) });
    await until(() => marco.shown.news[0].some(({ title }) => title === "New release: A New Film"), `a release of ${today}`);
    const { id } = marco.shown.news[0].find(({ title }) => title.startsWith("New release"));
    await marco.app.seen(id).done;
    await until(() => marco.shown.news[0].find(one => one.id === id).seen, "seen");
    talk.close();
    await Promise.all([anna.app.signOut(), marco.app.signOut()]);
  }));

  test("the task board: two devices, one of them without a network for a while", () => stage("task-board", "taskBoard", async ({ open }) => {
    const [laptop, phone] = [await open("anna", { device: "laptop" }), await open("anna", { device: "phone" })];
    await laptop.app.addColumn("todo", "To do").done;
    await laptop.app.add("1", { title: "Buy popcorn", column: "todo", done: false }).done;
    await until(() => phone.shown.tasks?.[0][0]?.title === "Buy popcorn" && phone.shown.columns?.[0].length === 1, "on the phone");
    await phone.app.goOffline();
    const moved = phone.app.move("1", "done");
    await until(() => phone.shown.tasks[0][0].column === "done" && phone.shown.tasks[0][0].isWaiting, "at once");
    await laptop.app.change("1", { title: "Buy nachos" }).done;
    phone.app.goOnline();
    await moved.done;
    await until(() => [laptop, phone].every(({ shown: { tasks: [[task]] } }) => task.title === "Buy nachos" && task.column === "done" && !task.isWaiting), "merged on both");
    await laptop.app.add("2", { title: "Water the plants", due: new Date(Date.now() - 1000).toISOString().slice(0, 19), column: "todo", done: false }).done;
    await laptop.app.remove("1").done;
    await until(() => phone.shown.tasks[0].length === 1, "removed");
    await Promise.all([laptop.app.close(), phone.app.close()]);
  }));

  test("air quality: a bookmarked station is shown, and warns when it becomes worse", () => stage("air-quality", "airQuality", async ({ open, put }) => {
    const anna = await open("anna");
    await put("stations/114", { name: "Wrocław", index: 1, levelName: "Dobry", at: "2026-11-21T10:00:00Z" });
    await anna.app.bookmark("114").done;
    await until(() => anna.shown.stations?.[0][0]?.levelName === "Dobry", "the station");
    await put("stations/114", { name: "Wrocław", index: 3, levelName: "Dostateczny", at: "2026-11-21T11:00:00Z", previous: 1, previousAt: "2026-11-21T10:00:00Z" });
    await until(() => anna.shown.stations[0][0].index === 3, "the new value");
    await until(() => anna.shown.warnings?.[0].some(({ title }) => title.startsWith("Wrocław")), "the warning");
    await anna.app.forget("114").done;
    await until(() => anna.shown.stations[0].length === 0, "forgotten");
    await anna.app.language("pl").done;
    await anna.app.close();
  }));

  test("a ski resort: lifts live, a warning at its level", () => stage("ski-resort", "skiResort", async ({ open, put }) => {
    await put("resorts/parnassos", { name: "Parnassos", open: true });
    await put("resorts/parnassos/lifts/1", { name: "Aphrodite", status: "open" });
    const nikos = await open("nikos", { resort: "parnassos" });
    await nikos.app.favour().done;
    await nikos.app.allow(["active", "time-sensitive", "critical"]).done;
    await until(() => nikos.shown.lifts?.[0][0]?.status === "open" && nikos.shown.resort?.[0]?.name === "Parnassos", "the resort");
    await put("resorts/parnassos/lifts/1", { name: "Aphrodite", status: "closing" });
    await until(() => nikos.shown.lifts[0][0].status === "closing", "the lift");
    await put("resorts/parnassos/alerts/1", { kind: "avalanche", severity: 4 });
    await until(() => nikos.shown.warnings?.[0].some(({ level }) => level === "critical") && nikos.shown.warnings[0].length === 2, "both warnings");
    await nikos.app.seenAll(nikos.shown.warnings[0][0].seq).done;
    await until(() => nikos.shown.warnings[0].every(({ seen }) => seen), "seen");
    await nikos.app.close();
  }));

  test("announcements: the list, news, and one message a day", () => stage("announcements", "announcements", async ({ open, put }) => {
    const student = await open("student");
    await student.app.subscribe().done;
    await put("announcements/1", { title: "Exams", link: "https://example.org/1", published: "2026-11-20T10:00:00Z", summary: "In January." });
    await put("announcements/2", { title: "Grades", link: "https://example.org/2", published: new Date().toISOString(), summary: "Here." });
    await until(() => student.shown.list?.[0].map(({ title }) => title).join() === "Grades,Exams", "the list");
    await until(() => student.shown.news?.[0].some(({ title }) => title === "New announcement: Grades"), "the news");
    await student.app.read(student.shown.news[0].find(({ title }) => title.endsWith("Grades"))).done;
    await until(() => !student.shown.news[0].some(({ title }) => title.endsWith("Grades")), "read");
    await student.app.daily("08:00").done;
    await until(() => student.shown.digest?.[0] === "daily 08:00", "the digest");
    await student.app.close();
  }));
});
