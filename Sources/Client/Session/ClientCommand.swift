package import ClientProtocol
package import JSON
import Model

/// A command to be sent: its name and its fields, as the page Commands.md lists them.
///
/// - Confinement: any
package struct ClientCommand: Sendable, Hashable {
    /// What the client does with the command when the connection breaks before the reply.
    package enum Persistence: Sendable, Hashable {
        /// It sends the command again after the reconnect: the command has a key, or repeating it changes nothing.
        case untilAnswered
        /// It gives the command up: the command concerns the moment, or the connection that is gone.
        case once
    }

    /// The `type` on the wire.
    package var name: String
    package var fields: JSONObject
    package var persistence: Persistence

    /// A command of any kind.
    ///
    /// - Parameter persistence: when not given, the type of the command decides.
    package init<Kind: Command>(_ kind: Kind.Type, _ fields: JSONObject = [:], persistence: Persistence? = nil) {
        name = Kind.name
        self.fields = fields
        self.persistence = persistence ?? (Kind.isRepeatable ? .untilAnswered : .once)
    }

    /// The message.
    /// - Parameter id: under which the reply is awaited; nil when none is wanted.
    package func encoded(id: Int64?) -> [UInt8] {
        var writer = JSONWriter(capacity: 192)
        writer.beginObject()
        if let id { writer.member("id", id) }
        writer.member("type", name)
        for member in fields.members where member.name != "id" && member.name != "type" {
            writer.member(member.name, member.value)
        }
        writer.endObject()
        return writer.bytes
    }
}
