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
            let known = BroadcastEntry.State.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal.badRequest(field: "state", "must be one of \(known)")
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
        if let scope = order?.audience.scope { json["audiences"] = scope.stored["audiences"] }
        if let scope = order?.audience.scope { json["except"] = scope.stored["except"] }
        json["size"] = .integer(size)
        json["title"] = order.map { .string($0.title) }
        json["kind"] = order.map { .string($0.kind) }
        json["level"] = order.map { .string($0.level.rawValue) }
        json["at"] = .string(order?.time?.text ?? at.text)
        json["created"] = .string(at.text)
        json["sent"] = sent.map { .string($0.text) }
        json["next"] = due.map { .string($0.text) }
        json["expires"] = order?.expires.map { .string($0.text) }
        json["seq"] = .integer(position.value)
        json["delivered"] = .integer(delivered)
        let people = try order?.audience.scope == nil ? nil : transaction.broadcastPeople.pushes(of: id)
        var pushes = try (people == nil ? positions : earlier).reduce(into: PushProgress()) { sum, position in
            try sum.add(transaction.pushJobs, about: position, before: transaction.users)
        }
        if let people { pushes.add(people) }
        for (name, count) in [
            ("queued", pushes.open), ("pushed", pushes.pushed), ("skipped", pushes.skipped), ("failed", pushes.failed),
        ] { json[name] = .integer(count) }
        json["cancelled"] = .bool(isCancelled)
        json["progress"] = .object(try progress(order, pushes, at: now, in: transaction))
        return json
    }

    /// How far it has come, in people: `done` are those to whom it went out, and whose pushes are decided.
    private func progress(
        _ order: BroadcastOrder?, _ pushes: PushProgress, at now: Timestamp, in transaction: Transaction
    ) throws -> JSONObject {
        let reached = try reached(order, in: transaction)
        // The pushes of one that was cancelled have all ended.
        let decided = state == .sending || state == .sent ? pushes.share : 1
        let done = Int64(Double(reached) * decided)
        let share = size > 0 ? Double(done) / Double(size) : sent == nil ? 0 : decided
        return [
            "total": .integer(size), "done": .integer(done), "failed": .integer(pushes.failed),
            "share": .number((share * 100).rounded(.down) / 100),
        ]
    }
}

extension BroadcastEntry {
    /// The people to whom it went out: by the recipients' clocks those alone whose clock had shown its time when the newest of it
    /// was sent, also when the rest was cancelled or came too late.
    private func reached(_ order: BroadcastOrder?, in transaction: Transaction) throws -> Int64 {
        guard let sent else { return 0 }
        // People with rows of their own get them slice by slice.
        let own = try order?.audience.scope == nil ? (named: 0, reached: 0) : transaction.broadcastPeople.counts(of: id)
        let shared = max(0, size - own.named)
        guard let order else { return size }
        guard let audience = order.audience.audience else { return own.reached }
        guard case .recipients(let wall)? = order.time else { return shared + own.reached }
        let zones = try transaction.users.zones()
        let shown = zones.filter { TriggerClock.instant(of: wall, in: $0) <= sent }
        guard shown.count < zones.count else { return shared + own.reached }
        return own.reached + min(shared, try transaction.zonePeople.count(of: audience, in: shown))
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

    /// Adds the pushes to people with rows of their own, of which each is one job.
    mutating func add(_ people: (pushed: Int64, skipped: Int64, failed: Int64, open: Int64)) {
        pushed += people.pushed
        skipped += people.skipped
        failed += people.failed
        open += people.open
    }

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
