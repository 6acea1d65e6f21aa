// A process that ends in the middle of anything, without a process: a store and sockets that take part in nothing from
// the Nth step of the store on. What the store had then is on the "disk" for the next one.
import { MemoryStore } from "../../Sources/Device/WebLibrary/Files/store-memory.js";

const never = () => new Promise(() => {});

/** What survives: the rows of the store. */
export class Disk {
  rows = {};
  lastOrder = 0;
}

/** One life of a process. */
export class Life {
  /**
   * @param {number} steps how many steps of the store are done
   * @param {boolean} isLastDone whether the last one is done although nobody hears of it
   */
  constructor(disk, steps, isLastDone, WebSocket) {
    Object.assign(this, { disk, steps, isLastDone, count: 0, isDead: false, sockets: new Set() });
    const life = this;
    this.store = new DyingStore(this);
    /** Sockets of this life end with it: the other side sees a broken connection. */
    this.WebSocket = class extends WebSocket {
      constructor(...about) {
        super(...about);
        life.sockets.add(this);
        if (life.isDead) this.close();
      }
      send(text) {
        if (!life.isDead) super.send(text);
      }
    };
  }

  /** Whether a step is done; the one after the last kills. */
  step() {
    this.count += 1;
    if (this.count >= this.steps && !this.isDead) this.die();
    return this.count < this.steps || this.isLastDone && this.count === this.steps;
  }

  die() {
    this.isDead = true;
    for (const socket of this.sockets) {
      socket.onmessage = socket.onclose = null;
      socket.close();
    }
    this.end?.();
  }
}

class DyingStore extends MemoryStore {
  isDurable = true;

  constructor(life) {
    super();
    this.life = life;
  }

  async open() {
    await super.open();
    this.fill(structuredClone(this.life.disk.rows));
    this.lastOrder = Math.max(this.lastOrder, this.life.disk.lastOrder);
    return this;
  }

  async read(work) {
    if (this.life.isDead) return never();
    const rows = structuredClone(await work());
    return this.life.step() && !this.life.isDead ? rows : never();
  }

  get(table, key) {
    return this.read(() => super.get(table, key));
  }

  range(table, query) {
    return this.read(() => super.range(table, query));
  }

  async write(changes, options) {
    if (this.life.isDead || !this.life.step()) return never();
    const orders = await super.write(changes, options);
    this.life.disk.rows = structuredClone(await this.all());
    this.life.disk.lastOrder = this.lastOrder;
    return this.life.isDead ? never() : orders;
  }
}
