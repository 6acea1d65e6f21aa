package import JSON
package import Model
package import Store

/// A command of the contract, or a call of the admin API, that changes state.
///
/// The initializer checks what can be checked without the database. `perform` runs on the writer's thread, in the
/// command's own savepoint. It depends only on the state and the command: time and random values come with the request.
///
/// - Confinement: any; ``perform(in:)`` on the writer's thread
package protocol WriteUseCase: Sendable {
    /// The client's own id of this write; nil when the write may be done twice.
    var key: WriteKey? { get }

    /// Adds everything that distinguishes this write from another under the same key.
    func addContent(to fingerprint: inout Fingerprint)

    /// The data for the answer to a repeated write that was done before; nil when they are not kept any more.
    func dataLeft(by reply: KeptReply, in transaction: WriteTransaction) throws -> [UInt8]?

    /// The news for the thread that fetches feeds after this write; nil for writes that are not about feeds.
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
