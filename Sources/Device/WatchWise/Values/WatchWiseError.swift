import JSON
import Session

/// The one type of error of this library.
/// - Confinement: any
public struct WatchWiseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The contract's class of the error, or one of this library's.
    /// - Confinement: any
    public enum Kind: String, Sendable, Hashable {
        /// A repetition would not help.
        case permanent
        /// It may succeed later. No write throws it: the outbox repeats.
        case retry
        /// The token is not accepted.
        case auth
        /// Too much at once.
        case limit
        /// The store on this device.
        case storage
        /// The library is closed.
        case closed
        /// The application has ended the write.
        case cancelled
    }

    /// A version of a document.
    /// - Confinement: any
    public struct Version: Sendable, Hashable {
        /// 0 when there is none.
        public let version: Int64
        /// Null when there is none.
        public let data: AnyJSON
    }

    public let kind: Kind
    /// The contract's code, for example `not-found`.
    public let code: String
    /// A sentence for people.
    public let message: String
    /// The dotted path of the wrong member.
    public let field: String?
    /// How long the server asks to wait.
    public let retryAfterMilliseconds: Int64?
    /// In a conflict: the document as it is now.
    public let current: Version?

    init(_ kind: Kind, _ code: String, _ message: String, field: String? = nil) {
        self.kind = kind
        self.code = code
        self.message = message
        self.field = field
        retryAfterMilliseconds = nil
        current = nil
    }

    /// An error as the contract writes it. A class that this library does not know counts as permanent.
    init(_ error: JSONValue) {
        kind = error["class"]?.stringValue.flatMap(Kind.init) ?? .permanent
        code = error["code"]?.stringValue ?? "internal"
        message = error["message"]?.stringValue ?? "the server gave no reason"
        field = error["field"]?.stringValue
        retryAfterMilliseconds = error["retryAfterMs"]?.integerValue
        let found =
            WriteEntry.Version(error["current"]) ?? (error["code"] == "conflict" ? WriteEntry.Version(error) : nil)
        current = found.map { Version(version: $0.version, data: AnyJSON($0.data)) }
    }

    public var description: String { "\(code): \(message)" + (field.map { " (\($0))" } ?? "") }

    static let closed = WatchWiseError(.closed, "closed", "the library is closed")
    static let signedOut = WatchWiseError(.closed, "signed-out", "the user has signed out in another process")
    static let lost = WatchWiseError(.retry, "lost", "the connection ended before the answer")
}
