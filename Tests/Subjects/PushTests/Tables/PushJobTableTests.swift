import GRDB
import Model
@testable import Push
import StoreTestSupport
import Testing
@testable import Log
@testable import Store

struct PushJobTableTests {
    private let push: PushStore
    private let alice: StreamID
    private var store: TestStore { push.store }

    init() throws {
        push = try PushStore()
        alice = try push.user("alice", devices: 2)
    }

    private func tries(of job: Int64) throws -> [PushTryEntry] {
        try store.read { try $0.pushJobs.tries(of: job, limit: 99) }
    }

    @Test func `open jobs come in the order of their due times, page by page`() throws {
        let ids = try store.write { (transaction) throws in
            for due: Int64 in [30, 10, 20, 10, 900] {
                var draft = PushJobDraft(.notification, at: Position(1), in: alice, .active, committed: push.now)
                draft.due = push.after(due)
                draft.isShared = due == 20
                try transaction.pushJobs.insert(draft)
            }
            #expect(transaction.pushTally.queued == 5)
            #expect(transaction.pushTally.isTouched)
            return try transaction.pushJobs.list(state: .waiting, before: .max, limit: 9).map(\.id)
        }
        #expect(ids == [5, 4, 3, 2, 1])
        try store.read { (transaction) throws in
            let jobs = transaction.pushJobs
            let first = try jobs.open(isShared: false, at: push.after(100), limit: 2)
            #expect(first.map(\.id) == [2, 4])
            #expect(try jobs.open(isShared: false, at: push.after(100), after: first.last, limit: 9).map(\.id) == [1])
            #expect(try jobs.open(isShared: true, at: push.after(100), limit: 9).map(\.id) == [3])
            #expect(try jobs.nextDue(after: push.after(15)) == push.after(20))
            #expect(try jobs.nextDue(after: push.after(100)) == push.after(900))
            #expect(try jobs.nextDue(after: push.after(900)) == nil)
            #expect(try jobs.countOpen() == 5)
        }
    }

    @Test func `progress is noted once, and only from the cursor that it began with`() throws {
        let job = try push.notify(alice, isShared: false)
        var progress = PushSettlement.Progress(job, to: alice, isEnded: false)
        progress.pushed = 2
        var late = progress
        late.from = StreamID(stored: 77)
        try store.write { (transaction) throws in
            #expect(try transaction.pushJobs.note(late) == nil)
            #expect(try transaction.pushJobs.note(progress)?.state == .waiting)
            #expect(try transaction.pushJobs.note(progress) == nil)
            #expect(transaction.pushTally.pushed == 2)
        }
        #expect(try push.job(job.id).state == .begun)
        #expect(try push.job(job.id).pushed == 2)
        let next = PushSettlement.Progress(try push.job(job.id), to: alice, isEnded: true)
        try store.write { (transaction) throws in
            #expect(try transaction.pushJobs.note(next) != nil)
            #expect(try transaction.pushJobs.note(next) == nil)
        }
        #expect(try push.job(job.id).state == .ended)
    }

    @Test func `a result is noted under its number once, and later ones count in the job`() throws {
        let job = try push.notify(alice, isShared: false)
        let again = PushSettlement.Try.Outcome.again(at: push.after(50), variant: "hidden")
        try store.write { (transaction) throws in
            #expect(try transaction.pushJobs.note(push.result(job.id, 1, 1, again)))
            #expect(try !transaction.pushJobs.note(push.result(job.id, 1, 1, .sent)))
            #expect(try !transaction.pushJobs.note(push.result(job.id, 1, 3, .sent)))
            #expect(try !transaction.pushJobs.note(push.result(job.id, 2, 2, .sent)), "there was no first try")
            #expect(try !transaction.pushJobs.note(push.result(99, 1, 1, .sent)), "there is no such job")
            #expect(try transaction.pushJobs.note(push.result(job.id, 2, 1, .skipped)))
        }
        try store.read { (transaction) throws in
            #expect(try transaction.pushJobs.openTries(at: push.after(49), limit: 9).isEmpty)
            let open = try transaction.pushJobs.openTries(at: push.after(50), limit: 9)
            #expect(open.map(\.device) == [1])
            #expect(open.map(\.variant) == ["hidden"])
            #expect(open.map(\.attempts) == [1])
            #expect(try transaction.pushJobs.nextTryDue(after: push.now) == push.after(50))
        }
        try store.write { (transaction) throws in
            #expect(try transaction.pushJobs.note(push.result(job.id, 1, 2, .sent)))
            #expect(try !transaction.pushJobs.note(push.result(job.id, 1, 3, .sent)), "it is not open any more")
        }
        #expect(try tries(of: job.id).map(\.state) == [.sent, .skipped])
        #expect(try push.job(job.id).pushed == 1)
        #expect(try store.read { try $0.pushJobs.find(job: job.id, device: 1) }?.due == nil)
        #expect(try store.read { try $0.pushJobs.nextTryDue(after: push.now) } == nil)
    }

    @Test func `a dead try becomes a letter and can be opened again`() throws {
        let job = try push.notify(alice, isShared: false)
        try store.write { (transaction) throws in
            _ = try transaction.pushJobs.note(PushSettlement.Progress(job, to: alice, isEnded: true))
            #expect(try transaction.pushJobs.note(push.result(job.id, 1, 1, .dead)))
            #expect(transaction.pushTally.dead == 1)
        }
        let letters = try store.read { try $0.dead.list(trigger: nil, before: .max, limit: 9) }
        #expect(letters.map(\.path) == ["notifications/n\(job.position)"])
        #expect(try store.read { try $0.runs.failure(of: "push", on: job.position) } == nil)
        try store.write { (transaction) throws in
            #expect(try transaction.pushJobs.reopen(job: job.id, device: 1, variant: "usual", at: push.after(9)))
            #expect(try !transaction.pushJobs.reopen(job: job.id, device: 1, variant: "usual", at: push.after(9)))
        }
        #expect(try tries(of: job.id).map(\.due) == [push.after(9)])
        #expect(try store.write { try $0.pushJobs.note(push.result(job.id, 1, 2, .sent)) })
    }

    @Test func `a device that goes leaves its tries, skipped if they were open`() throws {
        let job = try push.notify(alice, isShared: false)
        try store.write { (transaction) throws in
            _ = try transaction.pushJobs.note(
                push.result(job.id, 1, 1, .again(at: push.after(5), variant: "usual")))
            _ = try transaction.pushJobs.note(push.result(job.id, 2, 1, .sent))
            try transaction.pushGone.takeBack(job.position, from: alice, at: push.now)
            try transaction.pushDevices.delete(1)
            try transaction.pushDevices.delete(2)
        }
        #expect(try tries(of: job.id).map(\.answer) == ["no-device", "200"])
        #expect(try tries(of: job.id).map(\.state) == [.skipped, .withdrawn])
        #expect(try store.read { try $0.pushJobs.devicesWithGone(limit: 9) }.isEmpty)
    }

    @Test func `a seen notification is taken back from the devices that were pushed`() throws {
        try push.user("bob", devices: 1)
        let jobs = try (0..<3).map { _ in try push.notify(.everyone, isShared: true) }
        for job in jobs { _ = try push.pages(of: job.id) }
        try store.write { (transaction) throws in
            try transaction.pushGone.takeBack(jobs[2].position, from: alice, at: push.now)
            try transaction.pushGone.takeBack(jobs[2].position, from: alice, at: push.now)
            #expect(transaction.pushTally.gone == 2)
            try transaction.pushGone.takeBack(upTo: jobs[1].position, from: alice, at: push.now)
        }
        #expect(try store.read { try $0.pushJobs.devicesWithGone(limit: 9) } == [1, 2])
        let gone = try store.read { try $0.pushJobs.gone(ofDevice: 2) }
        #expect(gone.map(\.subject) == [2, 0, 1].map { .notification(jobs[$0].position) })
        #expect(try store.read { try $0.pushJobs.tries(ofDevice: 2, in: .sent, limit: 9) }.isEmpty)
        #expect(try store.read { try $0.pushJobs.tries(ofDevice: 3, in: .sent, limit: 9) }.count == 3)
        try store.write { (transaction) throws in
            let told = PushSettlement.Told(
                device: 2, rows: [gone[0].id, gone[1].id], withdrawalAt: push.after(7))
            #expect(try transaction.pushGone.forget(told))
            #expect(try !transaction.pushGone.forget(told))
        }
        #expect(try store.read { try $0.pushJobs.gone(ofDevice: 2) } == [gone[2]])
        #expect(try store.read { try $0.pushDevices.find(2) }?.withdrawn == push.after(7))
    }

    @Test func `only the newest removals for a device are kept`() throws {
        let jobs = try (0..<60).map { _ in try push.notify(alice, isShared: false) }
        for job in jobs { _ = try push.pages(of: job.id) }
        try store.write { (transaction) throws in
            for job in jobs { try transaction.pushGone.takeBack(job.position, from: alice, at: push.now) }
        }
        let gone = try store.read { try $0.pushJobs.gone(ofDevice: 1) }
        #expect(gone.map(\.subject) == jobs.suffix(50).map { .notification($0.position) })
    }

    @Test func `messages are taken back when the newest that was pushed is read`() throws {
        let bob = try push.user("bob", devices: 1)
        let name = try #require(ChatID("alice:bob"))
        let chat = try store.write { try $0.chats.make(name, members: [alice, bob]).id }
        for (from, judged): (Int64, Int64) in [(1, 2), (3, 7), (8, 9)] {
            let job = try store.write { (transaction) throws in
                var draft = PushJobDraft(
                    .message, at: Position(from), in: StreamID(chat: chat), .active, committed: push.now)
                draft.chatFrom = from
                #expect(try transaction.pushJobs.insert(draft))
                return try #require(try transaction.pushJobs.job(aboutMessage: from, in: chat))
            }
            try store.write { (transaction) throws in
                var progress = PushSettlement.Progress(job, to: bob, isEnded: true)
                progress.judged = judged
                _ = try transaction.pushJobs.note(progress)
                _ = try transaction.pushJobs.note(push.result(job.id, 3, 1, .sent))
            }
        }
        func sent(afterReading n: Int64, from before: Int64) throws -> [Int64] {
            try store.write { (transaction) throws in
                try transaction.pushGone.takeBack(
                    messagesOf: chat, readAfter: before, upTo: n, from: bob, at: push.now)
                return try transaction.pushJobs.tries(ofDevice: 3, in: .sent, limit: 9).map(\.job)
            }
        }
        #expect(try sent(afterReading: 1, from: 0) == [3, 2, 1])
        #expect(try sent(afterReading: 5, from: 1) == [3, 2])
        #expect(try sent(afterReading: 9, from: 5) == [])
        #expect(try store.read { try $0.pushJobs.gone(ofDevice: 3) }.map(\.subject) == [.messages(name)])
        #expect(try store.read { try $0.pushJobs.job(aboutMessage: 6, in: chat) }?.id == 2)
        #expect(try store.read { try $0.pushJobs.job(aboutMessage: 10, in: chat) } == nil)
    }

    @Test func `jobs go with their entry in the log, or a week after they ended, with tries and letters`() throws {
        let jobs = try (0..<5).map { _ in try push.notify(alice, isShared: false) }
        for job in jobs.dropLast(2) { _ = try push.pages(of: job.id, .dead) }
        func trim(_ position: Int64, _ time: Timestamp, limit: Int = 100) throws -> [Int64] {
            try store.write { (transaction) throws in
                _ = try transaction.pushJobs.trim(upTo: Position(position), before: time, limit: limit)
                return try transaction.pushJobs.list(state: nil, before: .max, limit: 9).map(\.id).reversed()
            }
        }
        #expect(try trim(0, push.now) == [1, 2, 3, 4, 5])
        #expect(try trim(jobs[0].position.value, push.now, limit: 2) == [1, 2, 3, 4, 5], "its tries go first")
        #expect(try trim(jobs[0].position.value, push.now) == [2, 3, 4, 5])
        #expect(try store.read { try $0.dead.list(trigger: nil, before: .max, limit: 9) }.count == 4)
        #expect(try trim(0, push.after(1)) == [4, 5])
        #expect(try store.read { try $0.dead.list(trigger: nil, before: .max, limit: 9) }.isEmpty)
        #expect(try trim(99, push.after(1)) == [4, 5], "they wait")
        #expect(try trim(0, push.after(30 * 86_400_000)) == [])
    }

    @Test func `an undone savepoint takes back the tally and the state of devices`() throws {
        let store = try TestStore()
        let user = try store.user("bob")
        try store.write { (transaction) throws in
            #expect(try !transaction.pushDevices.hasAny())
            try? transaction.savepoint {
                try transaction.pushDevices.put(
                    PushRegistration(.fcm, target: "t", .token), as: "d", of: user, at: push.now)
                #expect(try transaction.pushDevices.hasAny())
                try transaction.pushJobs.insert(
                    PushJobDraft(.notification, at: Position(1), in: user, .active, committed: push.now))
                throw Failure()
            }
            #expect(try !transaction.pushDevices.hasAny())
            #expect(transaction.pushTally == PushTally())
            try transaction.pushDevices.put(
                PushRegistration(.fcm, target: "t", .token), as: "d", of: user, at: push.now)
            #expect(try transaction.pushDevices.hasAny())
            try transaction.pushDevices.delete("d", of: user)
            #expect(try !transaction.pushDevices.hasAny())
        }
    }

    @Test func `no question of the sender scans a table`() throws {
        let chat = try store.write { (transaction) throws in
            try transaction.chats.make(try #require(ChatID("alice:bob")), members: [alice]).id
        }
        let job = try push.notify(alice, isShared: false)
        let stream = try store.write { try $0.streams.findOrMake(topic("t:one")) }
        let shared = [try push.notify(stream, isShared: true), try push.notify(.everyone, isShared: true)]
        _ = try push.pages(of: job.id)
        let withdrawal = try push.notify(stream, isShared: true, .withdrawal, previous: job.id)
        var found: [String] = []
        try store.write { (transaction) throws in
            transaction.database.trace { event in
                if case .statement(let statement) = event { found.append(statement.expandedSQL) }
            }
            defer { transaction.database.trace(options: []) }
            let jobs = transaction.pushJobs
            for isShared in [true, false] { _ = try jobs.open(isShared: isShared, at: push.now, limit: 9) }
            _ = try (jobs.nextDue(after: push.now), jobs.jobs(about: job.position), jobs.counts(about: job.position))
            _ = try (jobs.job(aboutMessage: 1, in: chat), jobs.openTries(at: push.now, limit: 9))
            _ = try (jobs.nextTryDue(after: push.now), jobs.tries(of: 1, limit: 9), jobs.find(job: 1, device: 1))
            _ = try (jobs.tries(ofDevice: 1, in: .sent, limit: 9), jobs.gone(ofDevice: 1))
            _ = try (jobs.devicesWithGone(limit: 9), transaction.pushDevices.exists(of: alice))
            for job in [job, withdrawal] + shared { _ = try jobs.nextPage(of: job) }
            try transaction.pushGone.takeBack(messagesOf: chat, readAfter: 0, upTo: 9, from: alice, at: push.now)
            try transaction.pushGone.takeBack(upTo: job.position, from: alice, at: push.now)
            try transaction.pushGone.takeBack(job.position, from: alice, at: push.now)
            _ = try jobs.trim(upTo: Position(1), before: push.now, limit: 9)
            _ = try jobs.note(push.result(job.id, 1, 2, .sent))
            try jobs.end(job.id, reason: "removed")
            try transaction.pushDevices.delete(1)
        }
        #expect(found.count > 25)
        try store.read { (transaction) throws in
            for sql in Set(found) where !sql.hasPrefix("--") {
                let plan = try Row.fetchAll(transaction.database, sql: "EXPLAIN QUERY PLAN " + sql)
                    .map { $0["detail"] as String }
                let scans = plan.filter {
                    $0.hasPrefix("SCAN") && !$0.contains("(subquery") && $0 != "SCAN CONSTANT ROW"
                        && !$0.contains("json_each")
                }
                #expect(scans.isEmpty, "\(sql)")
            }
        }
    }
}
