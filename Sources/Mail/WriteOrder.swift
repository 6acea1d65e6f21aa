import Model
package import Peers
package import Services

/// A write on its way, and to whom its outcome goes; an object, since it goes from array to array on its way.
///
/// - Confinement: any
package final class WriteOrder: Sendable {
    package let address: ConnectionAddress?
    package let ticket: Ticket
    package let request: WriteRequest
    /// The number under which the feeds' thread waits for the outcome.
    package let feedWrite: Int?
    /// That it takes in memory, as it was counted.
    package let bytes: Int
    /// Microseconds that it is expected to take, as they count among what waits.
    package let work: Int
    /// Of the user whose write it is.
    package let account: UserAccount?
    /// The loop's clock when it was handed over.
    package let tick: Int64

    package init(
        address: ConnectionAddress?, ticket: Ticket, request: WriteRequest, feedWrite: Int? = nil, bytes: Int = 0,
        work: Int = 0, account: UserAccount? = nil, tick: Int64 = 0
    ) {
        self.address = address
        self.ticket = ticket
        self.request = request
        self.feedWrite = feedWrite
        self.bytes = bytes
        self.work = work
        expectedMicroseconds = account?.write.expected ?? WorkMean.ofUnknown
        self.account = account
        self.tick = tick
    }

    package var lane: FairLane { FairLane(account, address) }

    /// Microseconds that it is expected to take where others wait. They decide whose turn is next; of users of whom
    /// nothing is known they are many.
    package let expectedMicroseconds: Int
}
