package import ClientProtocol

extension Refusal {
    /// An address has too many connections.
    package static let tooManyFromAddress = Refusal(
        .tooMany, "too many connections from this address", retryAfterMilliseconds: 5000)
    /// Too much waits for the writer or the readers, of all or of this user.
    package static let tooMuchWaits = Refusal(
        .unavailable, "the server has too much work waiting; repeat this with the same key", retryAfterMilliseconds: 500
    )
    /// The user's connections together have caused too much work.
    package static func tooMuchWork(_ waitMilliseconds: Int64) -> Refusal {
        Refusal(
            .rateLimited, "the commands of this user, over all connections, cause too much work",
            retryAfterMilliseconds: waitMilliseconds)
    }
    /// The user has written too much in the hour.
    package static func writtenTooMuch(_ waitMilliseconds: Int64) -> Refusal {
        Refusal(
            .rateLimited, "this user has reached the limit of bytes written in an hour",
            retryAfterMilliseconds: waitMilliseconds)
    }
    /// Too much is held for peers.
    package static let overloaded = Refusal(
        .unavailable, "the server has no memory left for clients at the moment; repeat this with the same key",
        retryAfterMilliseconds: 1000)
}
