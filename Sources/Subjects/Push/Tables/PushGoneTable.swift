package import Log
package import Model
import Store

/// The pushes that devices show and that are to be taken back.
///
/// - Confinement: store
package struct PushGoneTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The pushes that are to be taken back from a device, the oldest first.
    func all(ofDevice device: Int64) throws -> [PushGoneEntry] {
        try access.all(PushGoneEntry.query + " WHERE g.device = ? ORDER BY g.id", [device], PushGoneEntry.init)
    }

    /// Devices from which something is to be taken back, in the order of numbers.
    func devices(after device: Int64 = 0, limit: Int) throws -> [Int64] {
        try access.all(
            "SELECT DISTINCT device FROM push_gone WHERE device > ? ORDER BY device LIMIT ?", [device, limit]
        ) { try $0[0] }
    }
}

// Changes go into the tally of the transaction, which wakes the sender.
extension PushGoneTable where Access == WriteAccess {
    /// Takes a notification back from those devices of a user to which it was sent.
    package func takeBack(_ position: Position, from user: StreamID, at now: Timestamp) throws {
        for job in try PushJobTable(access: access).jobs(about: position) where job.kind != .withdrawal {
            try takeBack(job.id, from: user, seq: position, at: now)
        }
    }

    /// Takes all notifications up to a position back from the devices of a user to which they were sent.
    package func takeBack(upTo position: Position, from user: StreamID, at now: Timestamp) throws {
        try takeBack(allOf: "j.kind <> 'message' AND j.seq <= ?", [position.value], from: user, at: now)
    }

    /// Takes everything back that was sent to the devices of a user: notifications and the messages of chats.
    package func takeBackAll(from user: StreamID, at now: Timestamp) throws {
        try takeBack(allOf: "j.kind <> 'withdrawal'", [], from: user, at: now)
    }

    /// - Parameter condition: of the jobs, in SQL.
    private func takeBack(
        allOf condition: String, _ arguments: [Int64], from user: StreamID, at now: Timestamp
    ) throws {
        let devices: [Int64] = try access.all(
            "SELECT id FROM push_devices WHERE user = ? ORDER BY id", [user.value]
        ) { try $0[0] }
        for device in devices {
            // Older ones would leave the table at once.
            let newest: [(seq: Position, stream: StreamID)] = try access.all(
                """
                SELECT j.seq, j.stream FROM push_tries t JOIN push_jobs j ON j.id = t.job
                WHERE t.device = ? AND t.state = 'sent' AND \(condition) ORDER BY j.id DESC LIMIT \(PushLimits.goneKeptMax)
                """,
                [device] + arguments
            ) { (try $0[0], StreamID(stored: try $0[1])) }
            guard !newest.isEmpty else { continue }
            for push in newest.reversed() {
                if case .chat(let chat) = push.stream.kind {
                    try note(seq: nil, chat: chat, goneFrom: device, at: now)
                } else {
                    try note(seq: push.seq, chat: nil, goneFrom: device, at: now)
                }
            }
            try access.run(
                """
                UPDATE push_tries SET state = 'withdrawn' WHERE device = ? AND state = 'sent'
                AND EXISTS (SELECT 1 FROM push_jobs j WHERE j.id = push_tries.job AND \(condition))
                """,
                [device] + arguments)
        }
    }

    /// Takes the messages of a chat back from the devices of a user who has read some.
    ///
    /// A device shows one push of a chat, with the newest message that its job has decided about. So a push whose message is
    /// not read yet stays.
    package func takeBack(
        messagesOf chat: Int64, readAfter before: MessageNumber, upTo n: MessageNumber, from user: StreamID,
        at now: Timestamp
    ) throws {
        let about = """
            job IN (SELECT id FROM push_jobs WHERE kind = 'message' AND stream = ?1 AND chat_from <= ?3
            AND chat_from >= coalesce((SELECT max(chat_from) FROM push_jobs
             WHERE kind = 'message' AND stream = ?1 AND chat_from <= ?2), 0)
            AND judged > ?2 AND judged <= ?3)
            """
        let arguments = [StreamID(chat: chat).value, before, n, user.value]
        let devices: [Int64] = try access.all(
            """
            SELECT id FROM push_devices d WHERE user = ?4
            AND EXISTS (SELECT 1 FROM push_tries WHERE device = d.id AND state = 'sent' AND \(about)) ORDER BY id
            """,
            arguments
        ) { try $0[0] }
        guard !devices.isEmpty else { return }
        try access.run(
            """
            UPDATE push_tries SET state = 'withdrawn' WHERE state = 'sent' AND \(about)
            AND device IN (SELECT id FROM push_devices WHERE user = ?4)
            """,
            arguments)
        for device in devices { try note(seq: nil, chat: chat, goneFrom: device, at: now) }
    }

    private func takeBack(_ job: Int64, from user: StreamID, seq: Position, at now: Timestamp) throws {
        let devices: [Int64] = try access.all(
            """
            SELECT d.id FROM push_devices d JOIN push_tries t ON t.job = ? AND t.device = d.id AND t.state = 'sent'
            WHERE d.user = ?
            """,
            [job, user.value]
        ) { try $0[0] }
        try withdraw(devices, of: job, seq: seq, at: now)
    }

    /// Notes that devices that a job has reached are to take it back.
    ///
    /// - Parameters:
    ///   - seq: the notification, or else
    ///   - chat: the chat whose messages were read.
    package func withdraw(
        _ devices: [Int64], of job: Int64, seq: Position? = nil, chat: Int64? = nil, at now: Timestamp
    ) throws {
        for device in devices {
            try access.run(
                "UPDATE push_tries SET state = 'withdrawn' WHERE job = ? AND device = ?", [job, device])
            try note(seq: seq, chat: chat, goneFrom: device, at: now)
        }
    }

    private func note(seq: Position?, chat: Int64?, goneFrom device: Int64, at now: Timestamp) throws {
        try access.run("DELETE FROM push_gone WHERE device = ? AND seq IS ? AND chat IS ?", [device, seq?.value, chat])
        try access.run(
            "INSERT INTO push_gone(device, seq, chat, at) VALUES (?, ?, ?, ?)",
            [device, seq?.value, chat, now.milliseconds])
        try access.run(
            """
            DELETE FROM push_gone WHERE device = ?1 AND id <=
            (SELECT id FROM push_gone WHERE device = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """,
            [device, PushLimits.goneKeptMax])
        access.pushTally.gone += 1
        access.pushTally.isTouched = true
    }

    /// Forgets what a device knows to be gone.
    ///
    /// - Returns: false when it was forgotten before.
    package func forget(_ told: PushSettlement.Told) throws -> Bool {
        var forgotten = 0
        for row in told.rows {
            forgotten += try access.change("DELETE FROM push_gone WHERE id = ? AND device = ?", [row, told.device])
        }
        if let time = told.withdrawalAt {
            try access.run(
                "UPDATE push_devices SET withdrawn = ? WHERE id = ? AND coalesce(withdrawn, 0) < ?",
                [time.milliseconds, told.device, time.milliseconds])
        }
        access.pushTally.isTouched = true
        return forgotten > 0
    }
}
