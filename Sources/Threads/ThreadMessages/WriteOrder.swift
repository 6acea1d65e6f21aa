package import Execution
package import Quotas

/// A write on its way to the writer, and the receiver of its outcome; an object, since it passes through several
/// arrays.
///
/// - Confinement: any
package final class WriteOrder: Sendable {
    package let address: ConnectionAddress?
    package let ticket: Ticket
    package let request: WriteRequest
    /// The form in which another node can take it, or has handed it to this one; nil on a node that is alone, and for
    /// writes of the server's own threads.
    package let source: HandedWork?
    /// Where it was handed on; nil for the writes of this node.
    package let origin: HandedOrigin?
    /// The number under which the feeds' thread expects the outcome.
    package let feedWrite: Int?
    /// The bytes that it takes in memory, as counted.
    package let bytes: Int
    /// The estimated time in microseconds, as counted among the waiting work.
    package let work: Int
    /// The account of the user whose write it is.
    package let account: UserAccount?
    /// The loop's clock when it was handed over.
    package let tick: Int64
    /// When the turn of the loop that made it had its first order, by `BootClock`, in microseconds.
    package let arrived: Int64

    /// - Parameter weight: of the command.
    package init(
        address: ConnectionAddress?, ticket: Ticket, request: WriteRequest, source: HandedWork? = nil,
        origin: HandedOrigin? = nil, feedWrite: Int? = nil, bytes: Int = 0, weight: Int = 1,
        work: Int = 0, account: UserAccount? = nil, tick: Int64 = 0,
        arrived: Int64 = 0
    ) {
        self.address = address
        self.ticket = ticket
        self.request = request
        self.source = source
        self.origin = origin
        self.feedWrite = feedWrite
        self.bytes = bytes
        self.work = work
        self.weight = weight
        expectedMicroseconds = max(account?.write.expected ?? WorkMean.ofUnknown, WorkMean.ofWeight(weight))
        self.account = account
        self.tick = tick
        self.arrived = arrived
    }

    package var lane: FairLane { FairLane(account, address) }

    /// The estimated time in microseconds that decides whose turn is next; long for users without a history.
    package let expectedMicroseconds: Int

    private let weight: Int

    /// The time that it takes by what is known now; 0 for writes that are nobody's.
    package var meanMicroseconds: Int { account?.write.mean(ofWeight: weight) ?? 0 }
}
