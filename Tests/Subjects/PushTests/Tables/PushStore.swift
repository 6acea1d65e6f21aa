import Model
@testable import Push
import Store
import StoreTestSupport

/// A database with users who have devices, and jobs for them.
struct PushStore {
    let store: TestStore
    let now = Timestamp(milliseconds: 1_795_000_000_000)

    init() throws { store = try TestStore() }

    func after(_ milliseconds: Int64) -> Timestamp { now.adding(milliseconds: milliseconds) }

    /// A user with a number of devices.
    @discardableResult
    func user(_ name: String, devices: Int) throws -> StreamID {
        let user = try store.user(name)
        try store.write { transaction in
            for device in 0..<devices {
                try transaction.pushDevices.put(
                    PushRegistration(.fcm, target: "\(name)-\(device)", .token), as: "d\(device)", of: user, at: now)
            }
        }
        return user
    }

    /// A notification in a stream, with its job.
    @discardableResult
    func notify(
        _ stream: StreamID, isShared: Bool, others: [StreamID] = [], _ kind: PushKind = .notification,
        previous: Int64? = nil
    ) throws -> PushJobEntry {
        try store.write { transaction in
            var entry = notification(at: transaction.nextPosition, in: stream)
            entry.others = others.map { "t:\($0.value)" }
            _ = try transaction.notifications.insert(entry)
            try transaction.append(
                entry, payload: .same([]), isFollowed: isShared,
                reach: others.isEmpty ? nil : PublicationReach(others: others))
            var draft = PushJobDraft(kind, at: entry.position, in: stream, .active, committed: now)
            draft.isShared = isShared
            draft.previous = previous
            try transaction.pushJobs.insert(draft)
            return try transaction.pushJobs.list(state: nil, before: .max, limit: 1)[0]
        }
    }

    func job(_ id: Int64) throws -> PushJobEntry {
        guard let job = try store.read({ try $0.pushJobs.job(id) }) else { throw Missing(what: "job \(id)") }
        return job
    }

    /// All pages of a job, each settled with tries that end in the same way.
    func pages(of id: Int64, _ outcome: PushSettlement.Try.Outcome? = .sent) throws -> [PushAudiencePage] {
        var pages: [PushAudiencePage] = []
        repeat {
            let job = try job(id)
            let page = try store.read { try $0.pushJobs.nextPage(of: job) }
            pages.append(page)
            try store.write { transaction in
                var progress = PushSettlement.Progress(job, to: page.upTo, isEnded: page.isLast)
                progress.pushed = page.devices.count
                _ = try transaction.pushJobs.note(progress)
                for device in page.devices {
                    guard let outcome else { continue }
                    _ = try transaction.pushJobs.note(result(id, device.id, 1, outcome))
                }
            }
        } while pages.last?.isLast == false
        return pages
    }

    func result(_ job: Int64, _ device: Int64, _ number: Int64, _ outcome: PushSettlement.Try.Outcome)
        -> PushSettlement.Try
    {
        PushSettlement.Try(
            job: job, device: device, number: number, at: after(number), status: 200, answer: "200", outcome)
    }
}
