package import Journal
package import Model

/// The facts that a node sends of itself, on the subject `heartbeat`.
///
/// - Confinement: any
package struct HeartbeatMessage: Sendable, Hashable {
    package let heartbeat: NodeHeartbeat
    /// A number by chance of this run of the process: it tells two nodes of one name apart.
    package let run: UInt64
    /// Its clock, when it was sent.
    package let time: Timestamp
    /// Of what must be equal on all nodes: settings, zone data; empty where nothing is compared.
    package let digest: String

    package init(_ heartbeat: NodeHeartbeat, run: UInt64, time: Timestamp, digest: String = "") {
        self.heartbeat = heartbeat
        self.run = run
        self.time = time
        self.digest = digest
    }

    /// Reads a message.
    ///
    /// - Throws: `JournalProblem/version(_:)` for the message of another program.
    package init(_ bytes: [UInt8]) throws(JournalProblem) {
        var reader = try MessageForm.open(bytes)
        heartbeat = NodeHeartbeat(
            node: try reader.text("node"), term: try reader.varint("term"), leads: try reader.isTrue("leads"),
            applied: try reader.varint("applied"), head: try reader.signed("head"), schema: try reader.count("schema"),
            program: try reader.text("program"), fingerprint: try reader.text("fingerprint"),
            sessions: try reader.count("sessions"), address: try reader.text("address"))
        run = try reader.varint("run")
        time = Timestamp(milliseconds: try reader.signed("time"))
        digest = try reader.text("digest")
        try reader.finish()
    }

    /// The heartbeat of somebody who has another secret.
    var ofStranger: NodeHeartbeat {
        NodeHeartbeat(
            node: heartbeat.node, term: heartbeat.term, leads: heartbeat.leads, applied: 0, head: 0,
            schema: heartbeat.schema, program: heartbeat.program, fingerprint: heartbeat.fingerprint, sessions: 0,
            address: heartbeat.address, isOurs: false)
    }

    package var bytes: [UInt8] {
        var bytes = MessageForm.begin()
        bytes.append(text: heartbeat.node)
        bytes.append(varint: heartbeat.term)
        bytes.append(isTrue: heartbeat.leads)
        bytes.append(varint: heartbeat.applied)
        bytes.append(signed: heartbeat.head)
        bytes.append(count: heartbeat.schema)
        bytes.append(text: heartbeat.program)
        bytes.append(text: heartbeat.fingerprint)
        bytes.append(count: heartbeat.sessions)
        bytes.append(text: heartbeat.address)
        bytes.append(varint: run)
        bytes.append(signed: time.milliseconds)
        bytes.append(text: digest)
        return bytes
    }
}
