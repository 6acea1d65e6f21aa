package import JournalLink
package import ThreadMessages

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

    /// Asks for the first and the last sequence.
    func askBounds(_ done: @escaping (Result<JournalBounds, JournalFailure>) -> Void)

    /// Asks for what operators see of the journal; a simulated one shows nothing.
    func askStream(_ done: @escaping (ClusterView.Stream) -> Void)

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

    /// Goes to another server, if there is one. A simulated journal has one way.
    func changeServer(because reason: String)

    /// Ends everything; nothing is called afterwards.
    func close()
}

/// The ends of the stream, as its leader knows them.
///
/// - Confinement: any
package struct JournalBounds: Sendable {
    package let first: UInt64
    package let last: UInt64
    /// How many milliseconds ago most servers were there: a leader that has lost them answers for 10 s all the same. Nil when
    /// they were not.
    package let majorityAgeMilliseconds: Int64?

    package init(first: UInt64, last: UInt64, majorityAgeMilliseconds: Int64?) {
        self.first = first
        self.last = last
        self.majorityAgeMilliseconds = majorityAgeMilliseconds
    }
}

/// A read of the journal that goes on.
///
/// - Confinement: loop
package protocol ClusterReading: AnyObject {
    /// The entries up to this one are done: more may come.
    func consumed(through sequence: UInt64)

    /// The journal is known to have more than was delivered: a read that stands still begins again. A simulated one never
    /// stands still.
    func expectsMore()

    /// Ends the read; nothing is called afterwards.
    func stop()
}

extension ClusterReading {
    package func expectsMore() {}
}

extension ClusterJournal {
    package func changeServer(because reason: String) {}

    package func askStream(_ done: @escaping (ClusterView.Stream) -> Void) {}
}

extension JournalReader: ClusterReading {}

extension JournalClient: ClusterJournal {
    package var messageBytesMax: Int? { server?.payloadBytesMax }

    package func askBounds(_ done: @escaping (Result<JournalBounds, JournalFailure>) -> Void) {
        askState { result in
            done(
                result.map {
                    JournalBounds(
                        first: $0.first, last: $0.last, majorityAgeMilliseconds: $0.majorityAgeMilliseconds)
                })
        }
    }

    package func askStream(_ done: @escaping (ClusterView.Stream) -> Void) {
        askState { [weak self] result in
            guard let self else { return }
            var stream = ClusterView.Stream()
            stream.name = options.stream
            stream.server = server?.name
            switch result {
            case .success(let state):
                stream.leader = state.leader.isEmpty ? stream.server : state.leader
                stream.first = state.first
                stream.last = state.last
                stream.bytes = state.bytes
                let seconds = StreamSettings(chosenFor: state).ageSecondsMax
                stream.ageSecondsMax = seconds > 0 ? seconds : nil
            case .failure(let failure): stream.problem = failure.description
            }
            done(stream)
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
