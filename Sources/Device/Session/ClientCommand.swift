package import ClientProtocol
package import JSON
import Model

/// A command to be sent: its name and its fields (see Commands.md).
/// - Confinement: any
package struct ClientCommand: Sendable, Hashable {
    /// The fate of a command when the connection breaks before its reply.
    package enum Persistence: Sendable, Hashable {
        /// It is sent again after the reconnect: it has a key, or repeating it changes nothing.
        case untilAnswered
        /// It is not repeated: it is about the moment, or a repetition would do it twice.
        case once
    }

    /// The `type` on the wire.
    package var name: String
    package var fields: JSONObject
    package var persistence: Persistence

    /// A command of any kind.
    ///
    /// - Parameter persistence: nil if the type of the command decides.
    package init<Kind: Command>(_ kind: Kind.Type, _ fields: JSONObject = [:], persistence: Persistence? = nil) {
        name = Kind.name
        self.fields = fields
        self.persistence = persistence ?? (Kind.isRepeatable ? .untilAnswered : .once)
    }

    /// A command by its `type`, also one that this program does not know.
    ///
    /// - Parameter persistence: nil if the type of the command decides.
    package init(type: String, _ fields: JSONObject = [:], persistence: Persistence? = nil) {
        name = type
        self.fields = fields
        let isRepeatable = CommandTable.types.first { $0.name == type }?.isRepeatable ?? true
        self.persistence = persistence ?? (isRepeatable ? .untilAnswered : .once)
    }

    /// Whether the server does a command of this type once for a key, however often it comes.
    package static func takesKey(_ type: String) -> Bool {
        let form = CommandTable.types.first { $0.name == type }?.form
        return form?.fields.contains { $0.contains { $0.name == "key" } } ?? false
    }

    /// The message.
    /// - Parameter id: The number of the expected reply; nil when none is wanted.
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
