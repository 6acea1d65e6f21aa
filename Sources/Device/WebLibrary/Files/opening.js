import { WatchWiseError } from "./errors.js";
import { LastingStore, LeaderLost, SCHEMA, TABLES, columnsOf } from "./store.js";
import { CopiedStore } from "./store-copied.js";
import { parts } from "./loading.js";
import { randomName } from "./names.js";
import { findUser, lastUser } from "./users.js";
// How a tab begins: whose it is, which store it has, and which name its device bears there.

/** What a store shares with the others, and is given: it may be loaded, or the application's. */
const TERMS = { SCHEMA, TABLES, columnsOf, LeaderLost };

/** A store that is loaded first: `open` returns it. */
function later(isDurable, make) {
  return { isDurable, open: async () => (await make()).open(), async close() {} };
}

/** The store of Node in a file, of which browsers load nothing. */
function fileStore(path) {
  return later(true, async () => new (await parts.file()).SQLiteStore(path, TERMS));
}

function makeStore({ options: { storage }, name, writing }, isShared) {
  // A page goes on asking for the part; where files are at hand, one that is not there is a mistake to be told.
  const memory = () => later(false, async () => new (await (globalThis.document ? writing.eventually() : writing.load())).MemoryStore());
  if (typeof storage === "object" && storage !== null) {
    if ("terms" in storage) storage.terms ??= TERMS;
    return storage;
  }
  if (storage === "memory") return memory();
  if (globalThis.indexedDB && isShared) return new CopiedStore(storage ?? name);
  return typeof storage === "string" ? fileStore(storage) : memory();
}

/** @param {boolean} isShared whether tabs share the stores of this page */
export async function openStore(core, isShared) {
  if (core.store) return;
  const store = makeStore(core, isShared);
  const lasting = new LastingStore(store, () => core.writing.eventually(), event => core.storeEvent(event),
    (paths, changes) => core.trimmed(paths, changes), () => core.isForgotten);
  core.store = await lasting.open();
}

async function storedUser(core) {
  return (await core.store.get("meta", "user"))?.value ?? null;
}

/** The user of the token; without one who was here last, as the page has kept it, or as a store says that has a name of its own. */
export async function openingUser(core, isShared) {
  const { server, storage, token } = core.options;
  const remembered = async () => {
    const user = lastUser.of(server);
    if (user !== null || !storage || storage === "memory") return user;
    await openStore(core, isShared);
    return storedUser(core);
  };
  try {
    const user = await findUser(token, remembered);
    if (user !== null) return user;
    lastUser.forget(server, lastUser.of(server));
    throw new WatchWiseError("auth", "unauthenticated", "there is no token, so there is no user");
  } catch (error) {
    await core.store?.close();
    throw error;
  }
}

/** The name of this device, which the store keeps with its user: what another one left must not be sent as this one's. */
export async function nameDevice(core) {
  const { store, user, options } = core;
  const known = await storedUser(core);
  if (known !== null && known !== user) {
    await store.close();
    const message = `the store belongs to ${known}, not to ${user}: give each user a \`storage\`, or sign ${known} out first`;
    throw new WatchWiseError("storage", "other-user", message, { field: "storage" });
  }
  const device = (await store.get("meta", "device"))?.value ?? options.device ?? `js-${randomName()}`;
  await store.write([{ put: ["meta", { name: "device", value: device }] }, { put: ["meta", { name: "user", value: user }] }]);
  return device;
}
