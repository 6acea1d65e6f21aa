import EventLoop

extension JournalClient {
    /// Bytes that may wait in libnats before signals are dropped.
    private static let bufferedBytesMax = 16 << 10

    /// Sends a signal at once, or drops it: without a connection, when it is larger than the server takes, and when the
    /// kernel does not take bytes.
    ///
    /// - Parameters:
    ///   - rest: the subject after `ww.APP.`, for example `heartbeat`.
    ///   - reply: Where the receiver may answer; a whole subject.
    /// - Returns: whether it was sent.
    @discardableResult
    package func publish(_ bytes: [UInt8], to rest: String, reply: String? = nil) -> Bool {
        loop.preconditionOnLoop()
        guard let connection, connection.bufferedBytes <= Self.bufferedBytesMax,
            (try? connection.publish(bytes, to: options.subject(rest), reply: reply)) != nil
        else {
            counts.droppedPublications += 1
            return false
        }
        return true
    }

    /// Takes signals from now on, over all connections, until the client is closed.
    /// - Parameters:
    ///   - rest: the subject after `ww.APP.`; its parts may be `*`, and the last one `>`.
    ///   - handle: Called on the loop, in the order in which the server sent them.
    package func subscribe(to rest: String, _ handle: @escaping (JournalSignal) -> Void) {
        loop.preconditionOnLoop()
        let signal = SignalSubscription(to: options.subject(rest), handle)
        signals.append(signal)
        if let connection { signal.begin(on: connection) }
    }
}
