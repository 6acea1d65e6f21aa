// Whether the user is writing, said to the others of a chat: not with each key, and not for longer than keys are pressed.

/** How often it is said again, and how long after the last key it ends. Applications show it for some seconds more. */
const AGAIN_MS = 3000;
const ENDS_MS = 5000;

/** What one tab says of one chat. */
class Typing {
  /** @param {(on: boolean) => void} say sends it to the server */
  constructor(say) {
    Object.assign(this, { say, since: null, timer: null });
  }

  /** A key was pressed. */
  press() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), ENDS_MS);
    this.timer.unref?.();
    const now = performance.now();
    if (this.since !== null && now - this.since < AGAIN_MS) return;
    this.since = now;
    this.say(true);
  }

  /** The user does not write any more; nothing is said where nothing was said before. */
  end() {
    clearTimeout(this.timer);
    if (this.since === null) return;
    this.since = null;
    this.say(false);
  }
}

/** By the core of a library and the id of a chat. */
const typings = new WeakMap();

/** What is said of a chat; all handles of a chat share it. */
export function typingIn(core, chat) {
  if (!typings.has(core)) typings.set(core, new Map());
  const chats = typings.get(core);
  if (!chats.has(chat)) chats.set(chat, new Typing(on => core.call("tell", { type: "typing", chat, on }).catch(() => {})));
  return chats.get(chat);
}
