/// A command of a client, well formed as the contract wants it. The services judge rights and existence.
///
/// A new command is a type here, a line in ``CommandTable``, and its use case, beside which an extension says
/// that this command is that use case.
///
/// - Confinement: any
package protocol Command: Sendable, Hashable {
    /// The `type` on the wire.
    static var name: String { get }

    /// Whether a client sends the command again after a reconnect, when no reply came: it has a key, or repeating it changes
    /// nothing. False for what concerns the moment or the connection.
    static var isRepeatable: Bool { get }

    /// Whether the session itself says it, and no person does.
    static var isOfSession: Bool { get }

    /// Whether it is refused without a session.
    static var needsSession: Bool { get }

    /// Its fields and its answer, for the AsyncAPI document and for help.
    static var form: CommandForm { get }

    /// Reads the members.
    ///
    /// - Throws: `bad-request`, naming the member at fault.
    init(_ fields: Fields) throws(Refusal)

    /// The cost of the command for the server, in units of one small command, without its bytes; Limits.md has the table.
    var weight: Int { get }

    /// About how many bytes the command takes until it is answered, beside those that every command takes.
    ///
    /// - Parameter text: the message that it was read from.
    func heldBytes(ofText text: [UInt8]) -> Int
}

extension Command {
    package static var isRepeatable: Bool { true }
    package static var isOfSession: Bool { false }
    package static var needsSession: Bool { false }
    package var weight: Int { 1 }
    package func heldBytes(ofText text: [UInt8]) -> Int { text.count }
}
