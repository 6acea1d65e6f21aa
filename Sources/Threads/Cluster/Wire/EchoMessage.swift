package import Journal

/// The newest messages of this kind that a node has heard of the others, on the subject `echo`, after each of its heartbeats.
///
/// A node that finds a message of its own there knows how old this one is at most: it was sent after that. No clock of another
/// machine is asked. A message that waited while a link was cut shows its age, and so does one that is sent again.
///
/// - Confinement: any
package struct EchoMessage: Sendable, Hashable {
    /// The number that a run of a node's process gave its message.
    ///
    /// - Confinement: any
    package struct Mark: Sendable, Hashable {
        let node: String
        let run: UInt64
        let number: UInt64
    }

    /// Of this message.
    let mark: Mark
    let heard: [Mark]

    init(_ mark: Mark, heard: [Mark]) {
        self.mark = mark
        self.heard = heard
    }

    /// Reads a message.
    ///
    /// - Throws: `JournalProblem/version(_:)` for the message of another program.
    package init(_ bytes: [UInt8]) throws(JournalProblem) {
        var reader = try MessageForm.open(bytes)
        mark = try Mark(from: &reader)
        var heard: [Mark] = []
        for _ in 0..<(try reader.count("heard")) { heard.append(try Mark(from: &reader)) }
        try reader.finish()
        self.heard = heard
    }

    package var bytes: [UInt8] {
        var bytes = MessageForm.begin()
        mark.append(to: &bytes)
        bytes.append(count: heard.count)
        for mark in heard { mark.append(to: &bytes) }
        return bytes
    }
}

extension EchoMessage.Mark {
    fileprivate init(from reader: inout FieldReader) throws(JournalProblem) {
        self.init(
            node: try reader.text("node"), run: try reader.varint("run"), number: try reader.varint("number"))
    }

    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(text: node)
        bytes.append(varint: run)
        bytes.append(varint: number)
    }
}
