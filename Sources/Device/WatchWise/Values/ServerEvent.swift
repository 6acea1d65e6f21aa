import ClientProtocol
import JSON
import Session

/// An event of the server, as `Events.md` describes it.
/// - Confinement: any
public struct ServerEvent: Sendable, Hashable {
    /// For example `message`.
    public let type: String
    /// Its place in the log; nil for what concerns the moment only.
    public let seq: Int64?
    /// All its members.
    public let body: AnyJSON

    init(_ event: JSONValue) {
        type = event["type"]?.stringValue ?? ""
        seq = event["seq"]?.integerValue
        body = AnyJSON(event)
    }

    /// A member of the event.
    public subscript(name: String) -> AnyJSON? { body[name] }
}
