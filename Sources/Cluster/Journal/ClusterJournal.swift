package import JournalLink

/// How far the journal reaches, as the server that leads its stream says.
///
/// - Confinement: any
package struct JournalExtent: Sendable, Hashable {
    /// The oldest entry that is still there.
    package let first: UInt64
    /// The newest one.
    package let last: UInt64
    /// Bytes on one server.
    package let bytes: Int64
    /// The server that leads the stream; empty for a server alone.
    package let leader: String

    package init(first: UInt64, last: UInt64, bytes: Int64 = 0, leader: String = "") {
        self.first = first
        self.last = last
        self.bytes = bytes
        self.leader = leader
    }
}

/// The journal as the cluster's thread needs it: ``/JournalLink/JournalClient``, or a simulated one in its place.
///
/// All closures are called on the loop, and never during the call.
///
/// - Confinement: loop
package protocol ClusterJournal: AnyObject {
    /// The largest message that the journal takes, in bytes; nil without a connection.
    var messageBytesMax: Int? { get }
    /// How often a connection was opened, and how often messages were dropped.
    var counts: JournalCounts { get }

    /// Appends an entry if it becomes the successor of `last`.
    func append(
        _ bytes: [UInt8], after last: UInt64, timeoutMilliseconds: Int, _ done: @escaping (AppendOutcome) -> Void)

    /// The name of the stream.
    var streamName: String { get }
    /// The name of the server of the open connection; nil without one.
    var serverName: String? { get }

    /// Asks how far the stream reaches.
    func askExtent(_ done: @escaping (Result<JournalExtent, JournalFailure>) -> Void)

    /// Reads in order from an entry on, until it ends or is stopped.
    func read(
        from sequence: UInt64, _ handle: @escaping ([JournalMessage]) -> Void,
        ended: @escaping (JournalReadEnd) -> Void
    ) -> any ClusterReading

    /// Sends a message that is not kept, or drops it.
    ///
    /// - Parameter rest: the subject after `ww.APP.`.
    /// - Returns: whether it was sent.
    func send(_ bytes: [UInt8], to rest: String) -> Bool

    /// Takes messages that are not kept, from now on, over all connections.
    func listen(to rest: String, _ handle: @escaping (JournalSignal) -> Void)

    /// Ends everything; nothing is called afterwards.
    func close()
}

/// A read of the journal that goes on.
///
/// - Confinement: loop
package protocol ClusterReading: AnyObject {
    /// The entries up to this one are done: more may come.
    func consumed(through sequence: UInt64)

    /// Ends the read; nothing is called afterwards.
    func stop()
}

extension JournalReader: ClusterReading {}

extension JournalClient: ClusterJournal {
    package var messageBytesMax: Int? { server?.payloadBytesMax }

    package var streamName: String { options.stream }
    package var serverName: String? { server?.name }

    package func askExtent(_ done: @escaping (Result<JournalExtent, JournalFailure>) -> Void) {
        askState { result in
            done(
                result.map { JournalExtent(first: $0.first, last: $0.last, bytes: $0.bytes, leader: $0.leader) })
        }
    }

    package func read(
        from sequence: UInt64, _ handle: @escaping ([JournalMessage]) -> Void,
        ended: @escaping (JournalReadEnd) -> Void
    ) -> any ClusterReading {
        follow(from: sequence, handle, ended: ended)
    }

    package func send(_ bytes: [UInt8], to rest: String) -> Bool { publish(bytes, to: rest) }

    package func listen(to rest: String, _ handle: @escaping (JournalSignal) -> Void) { subscribe(to: rest, handle) }
}
