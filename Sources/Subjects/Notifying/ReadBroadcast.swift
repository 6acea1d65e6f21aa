package import ClientProtocol
package import Execution
package import JSON
import Model
import Push
import Store
import Triggers

/// `GET /v1/broadcasts/ID`; the server adds the number of live deliveries, which it counts.
///
/// - Confinement: any
package struct ReadBroadcast: ReadUseCase {
    let id: Int64
    let delivered: Int64

    package init(id: Int64, delivered: Int64) {
        self.id = id
        self.delivered = delivered
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        guard let broadcast = try context.transaction.broadcasts.find(id) else {
            throw Refusal.noBroadcast(id)
        }
        return try broadcast.json(delivered: delivered, at: context.now, in: context.transaction)
    }
}

/// `GET /v1/broadcasts`: a page of them, newest first.
///
/// - Confinement: any
package struct ListBroadcasts: ReadUseCase {
    let state: BroadcastEntry.State?
    let before: String?
    let limit: Int
    /// Live deliveries of each, as the server counts them.
    let delivered: @Sendable (Int64) -> Int

    /// - Throws: `Refusal` naming the field.
    package init(
        state: String?, before: String?, limit: Int, delivered: @escaping @Sendable (Int64) -> Int
    ) throws(Refusal) {
        self.state = state.flatMap(BroadcastEntry.State.init)
        guard state == nil || self.state != nil else {
            throw Refusal.badRequest(field: "state", "must be one of \(BroadcastEntry.State.form)")
        }
        self.before = before
        self.limit = limit
        self.delivered = delivered
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let before = try Cursor.number(before, field: "before") ?? .max
        let found = try context.transaction.broadcasts.page(state, before: before, limit: limit + 1)
        let page = Page(found, limit: limit) { String($0.id) }
        var answer: JSONObject = [
            "broadcasts": .array(
                try page.entries.map { broadcast in
                    .object(
                        try broadcast.json(
                            delivered: Int64(delivered(broadcast.id)), at: context.now, in: context.transaction))
                })
        ]
        answer["next"] = page.next.map { .string($0) }
        return answer
    }
}

extension BroadcastEntry {
    fileprivate func json(delivered: Int64, at now: Timestamp, in transaction: Transaction) throws -> JSONObject {
        let order = try BroadcastOrder(self)
        var json: JSONObject = ["id": .string(String(id)), "state": .string(state.rawValue)]
        json["audience"] = .string(audience)
        json["size"] = .integer(size)
        json["title"] = order.map { .string($0.title) }
        json["level"] = order.map { .string($0.level.rawValue) }
        json["at"] = .string(order?.time?.text ?? at.text)
        json["created"] = .string(at.text)
        json["sent"] = sent.map { .string($0.text) }
        json["next"] = due.map { .string($0.text) }
        json["expires"] = order?.expires.map { .string($0.text) }
        json["seq"] = .integer(position.value)
        json["delivered"] = .integer(delivered)
        let pushes = try positions.reduce(into: PushProgress()) { sum, position in
            try sum.add(transaction.pushJobs, about: position, before: transaction.users)
        }
        for (name, count) in [
            ("queued", pushes.open), ("pushed", pushes.pushed), ("skipped", pushes.skipped), ("failed", pushes.failed),
        ] { json[name] = .integer(count) }
        json["cancelled"] = .bool(isCancelled)
        json["progress"] = .object(try progress(order, pushes, at: now, in: transaction))
        return json
    }

    /// How far it has come, in people: `done` are those whose clock has shown its time, and whose pushes are decided.
    private func progress(
        _ order: BroadcastOrder?, _ pushes: PushProgress, at now: Timestamp, in transaction: Transaction
    ) throws -> JSONObject {
        var share = sent == nil ? 0 : 1.0
        if state == .sending, let sent, case .recipients(let wall)? = order?.time {
            let (reached, all) = try transaction.users.zones().reduce(into: (0, 0)) { count, zone in
                count.1 += 1
                if TriggerClock.instant(of: wall, in: zone) <= sent { count.0 += 1 }
            }
            share = Double(reached) / Double(all)
        }
        if state == .sending || state == .sent { share *= pushes.share }
        let done = Int64(Double(size) * share)
        return [
            "total": .integer(size), "done": .integer(done), "failed": .integer(pushes.failed),
            "share": .number((share * 100).rounded(.down) / 100),
        ]
    }
}

/// The pushes of a broadcast.
///
/// - Confinement: any
private struct PushProgress {
    var (pushed, skipped, failed): (Int64, Int64, Int64) = (0, 0, 0)
    /// Jobs that are not ended.
    var open: Int64 = 0
    private var shares: [Double] = []

    /// The part of the users that the jobs have decided about.
    var share: Double { shares.isEmpty ? 1 : shares.reduce(0, +) / Double(shares.count) }

    mutating func add<Access>(
        _ jobs: PushJobTable<Access>, about position: Position, before users: UserTable<Access>
    ) throws {
        let counts = try jobs.counts(about: position)
        pushed += counts.pushed
        skipped += counts.skipped
        failed += counts.failed
        for job in try jobs.jobs(about: position) where job.kind == .notification {
            if job.state == .ended {
                shares.append(1)
            } else {
                open += 1
                // Jobs go through the users by their numbers.
                shares.append(min(1, Double(job.cursor.value) / Double(max(1, try users.newest().value))))
            }
        }
    }
}
