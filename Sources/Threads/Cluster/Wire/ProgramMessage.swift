package import Journal
package import ThreadMessages

/// The newest tables that a node's programs make, the one that runs and the one that is installed, on the subject `program`.
///
/// It is no part of the heartbeat, which older programs read to its last byte.
///
/// - Confinement: any
package struct ProgramMessage: Sendable, Hashable {
    package let node: String
    /// As in the heartbeat: a node that was started again has another one.
    package let run: UInt64
    /// The number of the newest migration of the program that runs.
    package let newestSchema: Int
    /// Nil while the node does not know it.
    package let installed: InstalledProgram.Facts?

    package init(node: String, run: UInt64, newestSchema: Int, installed: InstalledProgram.Facts?) {
        self.node = node
        self.run = run
        self.newestSchema = newestSchema
        self.installed = installed
    }

    /// Reads a message.
    ///
    /// - Throws: `JournalProblem/version(_:)` for the message of another program.
    package init(_ bytes: [UInt8]) throws(JournalProblem) {
        var reader = try MessageForm.open(bytes)
        node = try reader.text("node")
        run = try reader.varint("run")
        newestSchema = try reader.count("newest schema")
        let schema = try reader.count("installed schema")
        let (program, path) = (try reader.text("installed program"), try reader.text("path"))
        installed = path.isEmpty ? nil : InstalledProgram.Facts(program: program, schema: schema, path: path)
        try reader.finish()
    }

    package var bytes: [UInt8] {
        var bytes = MessageForm.begin()
        bytes.append(text: node)
        bytes.append(varint: run)
        bytes.append(count: newestSchema)
        bytes.append(count: installed?.schema ?? 0)
        bytes.append(text: installed?.program ?? "")
        bytes.append(text: installed?.path ?? "")
        return bytes
    }
}

/// The order of an operator that all nodes end, and start again with the program that is installed, on the subject `upgrade`.
///
/// - Confinement: any
package struct UpgradeMessage: Sendable, Hashable {
    /// The number of the newest migration of the programs that are to run.
    package let schema: Int

    package init(schema: Int) { self.schema = schema }

    /// Reads a message.
    ///
    /// - Throws: `JournalProblem/version(_:)` for the message of another program.
    package init(_ bytes: [UInt8]) throws(JournalProblem) {
        var reader = try MessageForm.open(bytes)
        schema = try reader.count("schema")
        try reader.finish()
    }

    package var bytes: [UInt8] {
        var bytes = MessageForm.begin()
        bytes.append(count: schema)
        return bytes
    }
}
