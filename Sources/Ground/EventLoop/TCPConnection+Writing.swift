extension TCPConnection {
    /// Sets the marks of the queue, in bytes: the connection counts as congested above the high one, and gets `drained`
    /// when the queue has fallen to the low one.
    package func setQueueMarks(low: Int32, high: Int32) {
        output.bytesLow = low
        output.bytesHigh = high
    }

    /// Whether the queue went above the high mark and has not fallen to the low one since.
    package var isCongested: Bool { output.isCongested }

    /// Bytes written that the kernel has not accepted yet; always exact.
    package var queuedBytes: Int { output.waitingBytes + unsentBytes }

    var unsentBytes: Int { state == .closed ? 0 : socket.unsentBytes }

    /// How long the kernel has accepted none of the queued bytes, in milliseconds; 0 when none are queued.
    ///
    /// Progress inside of a pending write request is noticed when this is read: read it every few seconds.
    package var stalledMilliseconds: Int64 {
        assert(loop.isCurrent)
        // Bytes written in this turn have not been offered to the kernel yet.
        return stall?.milliseconds(unsentBytes: unsentBytes, at: loop.now) ?? 0
    }

    /// Appends bytes, by reference, to the output at the end of this turn. Has no effect once closing.
    package func write(_ bytes: [UInt8]) {
        assert(loop.isCurrent)
        guard isOpen, !bytes.isEmpty else { return }
        // Changed aside and put back: Swift checks exclusive access to a field that is changed in place while others are
        // called.
        var changed = output
        let isFirst = changed.append(bytes, to: layer == nil ? stall : nil, on: loop)
        output = changed
        if isFirst { requestFlush() }
    }

    /// Writes bytes that many connections get, when no more are expected in this turn. They leave at once if nothing
    /// else waits. The array is only lent, because all loops would change its reference count.
    package func writeAtOnce(_ bytes: borrowing [UInt8]) {
        assert(loop.isCurrent)
        guard state == .open, output.chain.isEmpty, stall == nil, layer == nil, !bytes.isEmpty else {
            return write(copy bytes)
        }
        TCPSender(self).sendAtOnce(bytes)
    }

    /// Asks for a flush at the turn's end.
    func requestFlush() {
        guard !output.isFlushRequested else { return }
        output.isFlushRequested = true
        loop.turnEnd.addCorked(self)
    }
}
