package import ClientProtocol
package import Execution
package import Model
package import Quotas
package import Services

/// A read on its way to a reader.
///
/// - Confinement: any
package struct ReadOrder: Sendable {
    package let address: ConnectionAddress
    package let work: Work
    /// The bytes that it takes in memory.
    package let bytes: Int
    /// The account of the user whose turn it uses.
    package let account: UserAccount?
    /// The loop's clock when it was handed over.
    package let tick: Int64
    /// When the turn of the loop that made it had its first order, by `BootClock`, in microseconds.
    package let arrived: Int64

    /// The estimated time in microseconds.
    package let expectedMicroseconds: Int

    package var lane: FairLane { FairLane(account, address) }

    /// - Parameter weight: of the command.
    package init(
        address: ConnectionAddress, work: Work, bytes: Int, weight: Int = 1, account: UserAccount?, tick: Int64,
        arrived: Int64 = 0
    ) {
        self.address = address
        self.work = work
        self.bytes = bytes
        self.account = account
        self.tick = tick
        self.arrived = arrived
        expectedMicroseconds = Self.expectedMicroseconds(of: account, weight: weight)
    }

    /// The estimated time of a read in microseconds.
    package static func expectedMicroseconds(of account: UserAccount?, weight: Int) -> Int {
        max(account?.read.expected ?? WorkMean.ofUnknown, WorkMean.ofWeight(weight))
    }

    /// Whether it is a search, whose times are shown.
    package var isSearch: Bool {
        // A comparison of types costs less than a cast, and every read is asked.
        if case .useCase(let useCase, _, _, _) = work { type(of: useCase) == SearchMessages.self } else { false }
    }

    /// The kind of a read.
    package enum Work: Sendable {
        /// A command or a request that only reads.
        case useCase(any ReadUseCase, Actor, at: Timestamp, Ticket)
        /// The start of a session: its user by name, and the events after a point if it names one. `device` is nil where
        /// none was named.
        case start(UserID, since: ResumePoint?, device: String?, deviceLanguage: LanguageTag?)
        /// The next page of a session that reads from the log.
        case page(StreamID, after: Position, deviceLanguage: LanguageTag?, watched: [WatchedStream])
        /// The documents of a path that a session wants to watch.
        case watched(ReadWatched, Actor, at: Timestamp)
        /// A user's counts, after something was removed from a topic that the user follows; the answer is for no
        /// connection.
        case counts(StreamID)
        /// The users that a session wants to observe, reduced to those that it may see.
        case watch([UserID], by: StreamID, Ticket)
        /// The users who receive a typing signal.
        case typing(ChatID, isOn: Bool, by: StreamID, at: Timestamp, Ticket)
    }
}
