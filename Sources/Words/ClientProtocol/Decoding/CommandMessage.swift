import JSON
import Model

/// One message of a client, read as far as all commands are alike: its id, its name and its members.
///
/// - Confinement: any
package struct CommandMessage: Sendable {
    /// Nil when the client wants no reply; with the ``warning``, which the reply bears.
    package let id: RequestID?
    /// Says which fields of the message are ignored, since the command does not have them; nil when it has all.
    package let warning: String?
    /// The place of the command in ``CommandTable/types``.
    package let place: Int
    package let fields: Fields

    /// - Parameters:
    ///   - bytes: one whole message.
    ///   - messageBytesMax: longer messages are refused as `too-large`.
    /// - Throws: a refusal with the command's id whenever that can be found, also in a text which is refused as JSON.
    package init(_ bytes: [UInt8], messageBytesMax: Int = Limits.messageBytesMax) throws(RefusedCommand) {
        guard bytes.count <= messageBytesMax else {
            let refusal = Refusal(.tooLarge, "a command has at most \(messageBytesMax) bytes")
            throw RefusedCommand(id: IDSalvage.id(in: bytes), refusal: refusal, isAlwaysAnswered: true)
        }
        do throws(JSONError) {
            var reader = JSONReader(bytes, depthMax: Limits.jsonDepthMax)
            fields = try Fields(&reader, path: "")
            try reader.end()
        } catch {
            throw RefusedCommand(id: IDSalvage.id(in: bytes), refusal: Refusal(error), isAlwaysAnswered: true)
        }
        var id: RequestID?
        do throws(Refusal) {
            id = try fields.optional("id")?.requestID()
        } catch {
            throw RefusedCommand(id: nil, refusal: error, isAlwaysAnswered: true)
        }
        do throws(Refusal) {
            place = try CommandTable.place(of: fields.required("type").string())
        } catch {
            throw RefusedCommand(id: id, refusal: error)
        }
        warning = fields.warning(ofAllBut: CommandTable.fields[place], in: CommandTable.types[place].name)
        if let warning { id?.warning = warning }
        self.id = id
    }

    /// The id of a message that is refused before it is read; nil when it has none that can be found.
    package static func id(in bytes: [UInt8]) -> RequestID? { IDSalvage.id(in: bytes) }
}

/// A command that was refused when it was read.
///
/// - Confinement: any
package struct RefusedCommand: Error, Sendable, Hashable {
    /// The id that the refusal answers; nil when there was none, or none that could be read.
    package var id: RequestID?
    package var refusal: Refusal
    /// Whether the client gets an answer even without an id, with `re` null: when nobody can say whether there was one.
    package var isAlwaysAnswered: Bool

    package init(id: RequestID?, refusal: Refusal, isAlwaysAnswered: Bool = false) {
        self.id = id
        self.refusal = refusal
        self.isAlwaysAnswered = isAlwaysAnswered
    }
}

extension Field {
    /// The command's id; nil for an empty string, which asks for no reply.
    fileprivate func requestID() throws(Refusal) -> RequestID? {
        guard token.kind == .number || token.kind == .string else { throw refusal("must be a number or a string") }
        return RequestID(bytes, at: token)
    }
}
