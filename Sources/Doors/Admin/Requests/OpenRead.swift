package import Authentication
package import ClientProtocol
import EventLoop
package import Execution
package import Model
import Quotas
import Services
import Telemetry
import ThreadMessages

/// A read of documents over HTTP by a client that is no administrator, and may have no token.
///
/// - Confinement: any
package struct OpenRead: Sendable {
    package let useCase: any ReadUseCase
    /// Its cost.
    package let weight: Int
    /// The user of its token; nil without a token.
    package let user: UserID?

    /// - Parameters:
    ///   - useCase: that reads what lies at the path.
    ///   - claims: of the token; nil where there is none.
    package init(_ useCase: some ReadUseCase, of path: WatchedPath, weight: Int, _ claims: Claims?) {
        let refusal =
            claims == nil
            ? Refusal(.unauthenticated, "an admin token is required in the Authorization header")
            : Refusal.lacking(.read)
        self.useCase = ReadOpened(useCase, of: path, otherwise: refusal)
        self.weight = weight
        user = claims?.subject
    }

    /// Checks whether all that is to be watched is open to anyone.
    package init(checking watches: [WatchedPath]) {
        useCase = CheckOpened(watches)
        weight = watches.reduce(0) { $0 + WatchCommand(path: $1).weight }
        user = nil
    }
}
