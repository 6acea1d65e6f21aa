package import ClientProtocol
package import Model
package import Peers
package import Services

/// A read on its way.
///
/// - Confinement: any
package struct ReadOrder: Sendable {
    package let address: ConnectionAddress
    package let work: Work
    /// That it takes in memory.
    package let bytes: Int
    /// Of the user whose turn it takes.
    package let account: UserAccount?
    /// The loop's clock when it was handed over.
    package let tick: Int64

    /// Microseconds that it is expected to take.
    package let expectedMicroseconds: Int

    package var lane: FairLane { FairLane(account, address) }

    package init(address: ConnectionAddress, work: Work, bytes: Int, account: UserAccount?, tick: Int64) {
        self.address = address
        self.work = work
        self.bytes = bytes
        self.account = account
        self.tick = tick
        expectedMicroseconds = account?.read.expected ?? WorkMean.ofUnknown
    }

    /// What is to be read.
    package enum Work: Sendable {
        /// A command or a request that only reads.
        case useCase(any ReadUseCase, Actor, at: Timestamp, Ticket)
        /// A session begins: its user by name, and events behind a point if it has one.
        case start(UserID, since: ResumePoint?, deviceLanguage: LanguageTag?)
        /// A session reads on.
        case page(StreamID, after: Position, deviceLanguage: LanguageTag?, watched: [WatchedStream])
        /// What is there of a path that is to be watched.
        case watched(ReadWatched, Actor, at: Timestamp)
        /// A user's counts, after something was taken from a topic that the user follows; for no connection.
        case counts(StreamID)
        /// Whom a session may watch.
        case watch([UserID], by: StreamID, Ticket)
        /// To whom a typing signal goes.
        case typing(ChatID, isOn: Bool, by: StreamID, Ticket)
    }
}
