// The pure parts as machines, so that vectors play them like the others.
import { SessionMachine } from "../../Sources/Device/WebLibrary/Files/session.js";
import { OutboxMachine } from "../../Sources/Device/WebLibrary/Files/outbox.js";
import { mirrorEvent, mirrorHistory, rowsOf } from "../../Sources/Device/WebLibrary/Files/mirror.js";
import { LAYERS } from "../../Sources/Device/WebLibrary/Files/layers.js";
import { differences, layers, overlaid } from "../../Sources/Device/WebLibrary/Files/overlay.js";

Object.assign(layers, LAYERS);

class MirrorMachine {
  constructor(configuration) {
    this.configuration = configuration;
  }

  step({ needs, event, history }) {
    if (needs) return rowsOf(needs);
    if (history) return mirrorHistory(history.chat, history.messages, history.asked, history.asOf);
    return mirrorEvent(event.event, new Map(Object.entries(event.rows ?? {})), { ...this.configuration, head: event.head });
  }
}

class OverlayMachine {
  constructor(configuration) {
    this.configuration = configuration;
    this.items = [];
  }

  step({ show: { list, rows, entries = [], context = {} } }) {
    const { user } = this.configuration;
    const items = overlaid(list, rows, entries, { user, ...context });
    if (!Array.isArray(items)) return [{ value: items }];
    const changes = differences(this.items, items, user);
    this.items = items;
    return [{ items }, { changes }];
  }
}

export const machines = { session: SessionMachine, outbox: OutboxMachine, mirror: MirrorMachine, overlay: OverlayMachine };
