package import ClientProtocol
import Model

extension Refusal {
    /// An address has too many connections.
    package static let tooManyFromAddress = Refusal(
        .tooMany, "too many connections from this address", retryAfterMilliseconds: 5000)
    /// Too much work waits for the writer or the readers, of all users or of this one.
    package static let tooMuchWaits = Refusal(
        .unavailable, "the server has too much work waiting; repeat this with the same key", retryAfterMilliseconds: 500
    )
    /// The user's connections together have caused too much work.
    package static func tooMuchWork(_ waitMilliseconds: Int64) -> Refusal {
        Refusal(
            .rateLimited, "the commands of this user, over all connections, cause too much work",
            retryAfterMilliseconds: waitMilliseconds)
    }
    /// The user has written too much in this hour.
    package static func writtenTooMuch(_ waitMilliseconds: Int64) -> Refusal {
        Refusal(
            .rateLimited, "this user has reached the limit of bytes written in an hour",
            retryAfterMilliseconds: waitMilliseconds)
    }
    /// The memory for peers is full.
    package static let overloaded = Refusal(
        .unavailable, "the server has no memory left for clients at the moment; repeat this with the same key",
        retryAfterMilliseconds: 1000)

    /// A command came too soon after others.
    package static func tooFast(_ waitMilliseconds: Int64) -> Refusal {
        Refusal(
            .rateLimited, "at most \(Limits.commandsPerSecond) commands a second",
            retryAfterMilliseconds: waitMilliseconds)
    }
}
