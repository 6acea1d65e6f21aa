// The events that a device has, over all its connections: the point at which it resumes, and what the server does not
// know yet.

/**
 * Two points that are one without a store: `cursor` is what the device keeps, what it acknowledges, and where it
 * resumes; `reached` is what has arrived on this connection. With a store the cursor follows `stored`, so it is never
 * ahead of the disk.
 */
export class ReceivedEvents {
  constructor(since, isStoring) {
    this.cursor = since ?? null;
    this.isStoring = isStoring;
    this.reached = this.cursor;
    /** Durable events of this connection, repeated ones included, as `beat` counts them. */
    this.count = 0;
    /** When the cursor is sent to the server; null when nothing must be sent. */
    this.ackAt = null;
    // A process that begins with a stored cursor does not know whether the last one acknowledged it.
    this.isUnacknowledged = isStoring && this.cursor !== null;
    this.lastDurable = null;
    /** The furthest point of an answer: what another node answers later is to show as much. */
    this.shown = null;
  }

  connected() {
    this.count = 0;
    this.reached = this.cursor;
  }

  disconnected() {
    this.ackAt = null;
  }

  /** Begins at a point, unless there is one already. */
  begin(point) {
    this.reached ??= point;
    if (!this.isStoring) this.cursor = this.reached;
  }

  /** Forgets the point: the server could not resume from it. A store keeps its own until the new state is stored. */
  reset() {
    this.reached = null;
    if (!this.isStoring) this.cursor = null;
  }

  /**
   * Takes a durable event.
   * @param epoch of the connection; null before its `hello` is answered, when events move nothing.
   * @returns {{seen?: number, isStored?: boolean}} `seen`: the event is not above this point, so it came before or out
   * of order; `isStored`: a repetition that the store has, which a resume from an older cursor brings.
   */
  take(seq, epoch) {
    this.count += 1;
    if (epoch !== null) {
      const seen = positionIn(this.reached, epoch);
      if (seen !== null && seq <= seen) return { seen };
      this.move(seq, epoch);
      if (this.isStoring && seq <= (positionIn(this.cursor, epoch) ?? -1)) return { isStored: true };
    }
    this.lastDurable = seq;
    this.isUnacknowledged = true;
    return {};
  }

  /** Moves to a position up to which everything has arrived; never back. Returns whether that is news. */
  move(seq, epoch) {
    const before = positionIn(this.reached, epoch);
    const isNews = before === null || seq > before;
    if (isNews) this.reached = { epoch, seq };
    if (!this.isStoring) this.cursor = this.reached;
    return isNews;
  }

  /** An answer bears a position of the log. */
  show(seq, epoch) {
    if (Number.isInteger(seq) && seq > (positionIn(this.shown, epoch) ?? -1)) this.shown = { epoch, seq };
  }

  /** The point beyond the cursor that the next connection must show; null for none. */
  get readAfter() {
    const { cursor, shown } = this;
    return shown && shown.seq > (positionIn(cursor, shown.epoch) ?? -1) ? shown : null;
  }

  /** The store has everything up to here. */
  stored({ epoch, seq }) {
    if (this.isStoring && seq > (positionIn(this.cursor, epoch) ?? -1)) this.cursor = { epoch, seq };
  }

  planAck(at, after) {
    if (this.isUnacknowledged && this.ackAt === null && after !== null) this.ackAt = at + after;
  }

  /** The position to tell the server; null when there is none of this epoch. */
  takeAck(epoch) {
    this.ackAt = null;
    const seq = positionIn(this.cursor, epoch);
    this.isUnacknowledged = seq === null || this.isStoring && seq < (this.lastDurable ?? 0);
    return seq;
  }
}

/** The position of a point, if it belongs to this epoch. */
function positionIn(point, epoch) {
  return point !== null && point.epoch === epoch ? point.seq : null;
}
