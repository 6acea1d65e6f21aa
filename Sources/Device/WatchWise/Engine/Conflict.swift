import JSON
import Session

/// A write of a document that somebody else has changed meanwhile.
/// - Confinement: any
public struct Conflict: Sendable, Hashable {
    /// A decision about it.
    /// - Confinement: any
    public enum Choice: Sendable, Hashable {
        /// This device's write, on the present version.
        case mine
        /// The document stays as it is.
        case theirs
        /// This, in place of both.
        case data(AnyJSON)

        /// As the outbox takes it.
        var choice: Outbox.Choice {
            switch self {
            case .mine: .mine
            case .theirs: .theirs
            case .data(let data): .data(data.value)
            }
        }
    }

    public let key: String
    public let path: String
    /// `put`, `patch` or `remove`.
    public let type: String
    /// The content of the write.
    public let data: AnyJSON
    /// The document that it was made on; nil when that was not known.
    public let base: WatchWiseError.Version?
    /// The document as it is now.
    public let current: WatchWiseError.Version

    init(key: String, mine: JSONObject, base: WriteEntry.Origin?, current: WriteEntry.Version) {
        self.key = key
        path = mine.string("path") ?? ""
        type = mine.string("type") ?? ""
        data = AnyJSON(mine["data"] ?? .null)
        self.base = base.map { WatchWiseError.Version(version: $0.made.version, data: AnyJSON($0.made.data)) }
        self.current = WatchWiseError.Version(version: current.version, data: AnyJSON(current.data))
    }
}

/// Decides about a conflict. Without one, patches whose members the other did not touch are made once more on the present
/// version, and everything else fails with the code `conflict`.
public typealias ConflictHandler = @Sendable (Conflict) async -> Conflict.Choice
