package import JSON
package import Model
package import Store

/// Something that changes state: one command of the contract, or one call of the admin API.
///
/// Its `prepare` half (what can be checked without the database) is its initializer; `perform` is the half that runs on
/// the writer's thread, in the command's own savepoint: a pure function of the state and the command. Time and
/// randomness are decided before and travel with the request.
///
/// - Confinement: any; ``perform(in:)`` on the writer's thread
package protocol WriteUseCase: Sendable {
    /// The client's own id of this write; nil when it is no matter if it is done twice.
    var key: WriteKey? { get }

    /// Adds everything that distinguishes this write from another under the same key.
    func addContent(to fingerprint: inout Fingerprint)

    /// The data that belong to the answer of this write, which was done before and is repeated; nil when they cannot be had
    /// any more.
    func dataLeft(by reply: KeptReply, in transaction: WriteTransaction) throws -> [UInt8]?

    /// What whoever fetches feeds must know of this write when it is done; nil of all that is not about feeds.
    var feedNews: FeedNews? { get }

    /// Checks and writes.
    ///
    /// - Returns: writes the members of the reply's `ok` object.
    /// - Throws: `Refusal`, after which nothing of it is written; or the database's error.
    func perform(in context: WriteContext, reply: inout JSONWriter) throws
}

extension WriteUseCase {
    package var key: WriteKey? { nil }
    package var feedNews: FeedNews? { nil }
    package func addContent(to fingerprint: inout Fingerprint) {}
    package func dataLeft(by reply: KeptReply, in transaction: WriteTransaction) throws -> [UInt8]? { nil }
}
