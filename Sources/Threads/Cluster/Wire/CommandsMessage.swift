package import Journal

/// Writes of a node's clients on their way to the node that leads, on the subject `commands.LEADER`.
///
/// - Confinement: any
package struct CommandsMessage: Sendable, Hashable {
    /// A write in bytes: they are read only if the node that leads takes it.
    ///
    /// - Confinement: any
    package struct Held: Sendable, Hashable {
        package let ticket: UInt64
        package let bytes: [UInt8]

        package init(ticket: UInt64, bytes: [UInt8]) {
            self.ticket = ticket
            self.bytes = bytes
        }
    }

    let node: String
    /// Of the sender's process: a later run begins with other tickets.
    let run: UInt64
    /// The leadership that they are for.
    let term: UInt64
    /// All tickets below it have their answers, or nobody waits for them.
    let base: UInt64
    /// The message continues after this ticket: those between it and the first one are void, as are all that are
    /// missing between two.
    let after: UInt64
    /// In the order of their tickets.
    package let commands: [Held]

    init(node: String, run: UInt64, term: UInt64, base: UInt64, after: UInt64, commands: [Held]) {
        self.node = node
        self.run = run
        self.term = term
        self.base = base
        self.after = after
        self.commands = commands
    }

    package init(_ bytes: [UInt8]) throws(JournalProblem) {
        var reader = try MessageForm.open(bytes)
        node = try reader.text("node")
        run = try reader.varint("run")
        term = try reader.varint("term")
        base = try reader.varint("base")
        after = try reader.varint("after")
        var last = after
        commands = try reader.list("commands", bytesMin: 2) { reader throws(JournalProblem) in
            let ticket = try reader.varint("ticket")
            guard ticket > last else { throw .value(field: "ticket") }
            last = ticket
            return Held(ticket: ticket, bytes: try reader.field("command"))
        }
        try reader.finish()
    }

    package var bytes: [UInt8] {
        var bytes = MessageForm.begin()
        bytes.reserveCapacity(commands.reduce(256) { $0 + $1.bytes.count + 16 })
        bytes.append(text: node)
        bytes.append(varint: run)
        bytes.append(varint: term)
        bytes.append(varint: base)
        bytes.append(varint: after)
        bytes.append(list: commands) { bytes, command in
            bytes.append(varint: command.ticket)
            bytes.append(field: command.bytes)
        }
        return bytes
    }
}
