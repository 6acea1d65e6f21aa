import Authentication
import ClientProtocol
import Model

/// A collection whose documents give rights, or are the server's own: to publish is not enough to write there.
///
/// - Confinement: any
enum GuardedCollection: String {
    case roles, reports

    /// The scope that writes there besides that of documents. A program that may put rules can open
    /// everything to anybody, so it may give roles as well.
    private var scope: Scope {
        switch self {
        case .roles: .operate
        case .reports: .admin
        }
    }

    /// Checks that a request may write at a path.
    ///
    /// - Parameter field: names the path in the request.
    /// - Throws: `Refusal` (`forbidden`).
    static func check(
        _ path: DocumentPath, field: String, for call: HTTPCall, at door: any RequestDoor
    ) throws(Refusal) {
        guard let guarded = path.levels.first.flatMap({ Self(rawValue: $0.collection) }) else { return }
        guard try !call.claims(at: door).opens(guarded.scope) else { return }
        var refusal = Refusal.lacking(guarded.scope)
        refusal.message += "; it writes the documents below \(guarded.rawValue)"
        refusal.field = field
        throw refusal
    }
}
