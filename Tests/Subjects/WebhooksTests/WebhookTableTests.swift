import GRDB
import Model
import Store
import StoreTestSupport
import TestSupport
import Testing
import Webhooks

struct WebhookTableTests {
    private func draft(_ change: Int64, trigger: String = "t", url: String = "https://a.example/h") -> WebhookDraft {
        WebhookDraft(
            trigger: trigger,
            change: Position(change),
            url: url,
            path: "a/\(change)",
            event: "create",
            chain: trigger,
            data: "{}"
        )
    }

    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    private func attempt(_ job: Int64, _ number: Int64, _ outcome: WebhookAttempt.Outcome, at time: Int64 = 5)
        -> WebhookAttempt
    {
        WebhookAttempt(job: job, number: number, at: at(time), status: 500, answer: "500", outcome: outcome)
    }

    @Test func `a job is queued once for each trigger and change, under a name of its own`() throws {
        let store = try TestStore()
        let tally = try store.write { transaction in
            for _ in 1...2 { try transaction.webhooks.queue(draft(7), at: at(1)) }
            try transaction.webhooks.queue(draft(7, trigger: "u"), at: at(1))
            try transaction.webhooks.queue(draft(8), at: at(2))
            return transaction.webhookTally
        }
        #expect(tally.queued == 3)
        #expect(tally.isTouched)
        let jobs = try store.read { try $0.webhooks.waiting(for: 1, limit: 9) }
        #expect(jobs.map(\.change.value) == [7, 7, 8])
        let epoch = store.writer.epoch.text
        #expect(jobs.map(\.name) == ["\(epoch)_7_t", "\(epoch)_7_u", "\(epoch)_8_t"])
        #expect(jobs.allSatisfy { !$0.name.contains(".") })
        #expect(try store.read { try $0.webhooks.endpoints() }.map(\.url) == ["https://a.example/h"])
    }

    @Test func `a call that a savepoint undoes is neither queued nor counted`() throws {
        let store = try TestStore()
        let tally = try store.write { transaction in
            try transaction.webhooks.queue(draft(1), at: at(1))
            try? transaction.savepoint {
                try transaction.webhooks.queue(draft(2), at: at(1))
                throw Failure()
            }
            return transaction.webhookTally
        }
        #expect(tally.queued == 1)
        #expect(try store.read { try $0.webhooks.countPending() } == 1)
    }

    @Test func `a result is noted once, and one of an earlier attempt not at all`() throws {
        let store = try TestStore()
        try store.write { try $0.webhooks.queue(draft(1), at: at(1)) }
        let first = attempt(1, 1, .retry(at: at(100)))
        let tally = try store.write { transaction in
            try transaction.webhooks.note(first)
            try transaction.webhooks.note(first)
            return transaction.webhookTally
        }
        #expect(tally.failed == 1)
        let waiting = try store.read { try $0.webhooks.waiting(for: 1, limit: 1) }
        #expect(waiting.map(\.due) == [at(100)])
        #expect(waiting.map(\.attempts) == [1])
        #expect(try store.read { try $0.webhooks.endpoints() }.map(\.failures) == [1])
        try store.write { try $0.webhooks.note(attempt(1, 2, .delivered)) }
        #expect(try store.read { try $0.webhooks.job(1)?.state } == "delivered")
        #expect(try store.read { try $0.webhooks.endpoints() }.map(\.failures) == [0])
        #expect(try store.write { try $0.webhooks.requeue(job: 1, url: nil, at: at(200)) })
        // The result of the second attempt, or of a running one, does not count for the next.
        try store.write { try $0.webhooks.note(attempt(1, 2, .delivered)) }
        try store.write { try $0.webhooks.note(attempt(1, 3, .gone)) }
        let again = try #require(try store.read { try $0.webhooks.job(1) })
        #expect(again.state == "pending")
        #expect(again.attempts == 0)
        #expect(again.tries == 3)
        #expect(try store.read { try $0.webhooks.endpoints() }.allSatisfy { $0.disabledAt == nil })
    }

    @Test func `a job that gave up is a dead letter, and goes with it`() throws {
        let store = try TestStore()
        try store.write { transaction in
            try transaction.webhooks.queue(draft(1), at: at(1))
            try transaction.webhooks.queue(draft(2), at: at(1))
            try transaction.webhooks.note(attempt(1, 1, .dead(reason: "why")))
            try transaction.webhooks.note(attempt(2, 1, .dead(reason: "why")))
        }
        let letters = try store.read { try $0.dead.list(trigger: "t", before: .max, limit: 9) }
        #expect(letters.map(\.reason) == ["why", "why"])
        #expect(letters.map { $0.webhook?.job } == [2, 1])
        #expect(letters[0].webhook?.url == "https://a.example/h")
        #expect(try store.read { try $0.dead.list(trigger: "u", before: .max, limit: 9) }.isEmpty)
        #expect(try store.write { try $0.dead.delete(letters[0].id) })
        #expect(try store.read { try $0.webhooks.job(2) } == nil)
        #expect(try store.write { try $0.webhooks.requeue(job: 1, url: "https://b.example/", at: at(9)) })
        #expect(try store.read { try $0.dead.find(letters[1].id) } == nil)
        #expect(try store.read { try $0.webhooks.waiting(for: 2, limit: 9) }.map(\.id) == [1])
    }

    @Test func `a removed endpoint takes nothing, and its waiting calls become dead in steps`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for change: Int64 in 1...5 { try transaction.webhooks.queue(draft(change), at: at(1)) }
            try transaction.webhooks.queue(draft(9, url: "https://b.example/"), at: at(1))
            try transaction.webhooks.note(attempt(1, 1, .gone))
        }
        #expect(try store.read { try $0.webhooks.endpoints() }.map { $0.disabledAt != nil } == [true, false])
        let steps = try store.write { transaction in
            try (1...3).map { _ in try transaction.webhooks.burySurplus(pendingMax: 99, limit: 3, at: at(7)) }
        }
        #expect(steps == [3, 1, 0])
        #expect(try store.read { try $0.webhooks.countPending() } == 1)
        let letters = try store.read { try $0.dead.list(trigger: nil, before: .max, limit: 9) }
        #expect(letters.count == 5)
        #expect(letters.allSatisfy { $0.reason.contains("410") })
        #expect(try store.write { try $0.webhooks.enableEndpoint(url: "https://a.example/h") })
        #expect(try !store.write { try $0.webhooks.enableEndpoint(url: "https://a.example/h") })
        #expect(try store.read { try $0.webhooks.endpoints() }.allSatisfy { $0.disabledAt == nil })
    }

    @Test func `when too many calls wait, the oldest are set aside`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for change: Int64 in 1...5 { try transaction.webhooks.queue(draft(change), at: at(1)) }
            #expect(try transaction.webhooks.burySurplus(pendingMax: 3, limit: 9, at: at(7)) == 2)
        }
        #expect(try store.read { try $0.webhooks.waiting(for: 1, limit: 9) }.map(\.change.value) == [3, 4, 5])
        #expect(try store.read { try $0.dead.list(trigger: nil, before: .max, limit: 9) }.count == 2)
    }

    @Test func `delivered jobs go with time and number, dead letters by number`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for change: Int64 in 1...8 {
                try transaction.webhooks.queue(draft(change), at: at(1))
                let outcome: WebhookAttempt.Outcome = change > 6 ? .dead(reason: "why") : .delivered
                try transaction.webhooks.note(attempt(change, 1, outcome, at: change))
            }
        }
        func trim(before: Int64, kept: Int64) throws -> Int {
            try store.write { try $0.webhooks.trimDelivered(before: at(before), kept: kept, limit: 100) }
        }
        #expect(try trim(before: 2, kept: 100) == 2)
        #expect(try trim(before: 0, kept: 3) == 1)
        #expect(
            try store.read { try $0.webhooks.list(endpoint: nil, trigger: nil, state: nil, before: .max, limit: 9) }
                .map(\.id) == [8, 7, 6, 5, 4])
        #expect(try store.write { try $0.dead.trim(before: at(0), kept: 1, limit: 9) } == 1)
        #expect(try store.read { try $0.webhooks.job(7) } == nil)
        #expect(try store.read { try $0.webhooks.job(8)?.state } == "dead")
        // The change is older than the log; the letter of a webhook is not.
        #expect(try store.write { try $0.retention.deleteDead(upTo: Position(99), limit: 9) } == 0)
        #expect(try store.write { try $0.dead.trim(before: at(8), kept: 9, limit: 9) } == 1)
        #expect(try store.read { try $0.webhooks.job(8) } == nil)
    }

    @Test func `calls of a trigger are sent again from a position or a time on`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for change: Int64 in 1...4 {
                try transaction.webhooks.queue(draft(change), at: at(change * 10))
                try transaction.webhooks.note(attempt(change, 1, .delivered))
            }
        }
        func replay(after position: Int64, from time: Int64, trigger: String = "t") throws -> Int {
            try store.write {
                try $0.webhooks.requeue(
                    trigger: trigger, after: Position(position), from: at(time), url: nil, at: at(99))
            }
        }
        #expect(try replay(after: 0, from: 0, trigger: "u") == 0)
        #expect(try replay(after: 3, from: 0) == 1)
        #expect(try replay(after: 0, from: 20) == 2)
        #expect(try store.read { try $0.webhooks.waiting(for: 1, limit: 9) }.map(\.change.value) == [2, 3, 4])
    }

    @Test func `dead letters of a folder from before webhooks are there, and their numbers go on`() throws {
        let store = try TestStore()
        try store.writer.close()
        let old = try DatabaseQueue(path: store.folder.path + "/watchwise.db")
        try old.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    DROP TABLE dead; DROP TABLE webhook_jobs; DROP TABLE webhook_endpoints;
                    DROP TABLE push_jobs; DROP TABLE push_tries; DROP TABLE push_gone;
                    DROP TRIGGER push_device_removed; ALTER TABLE push_devices DROP COLUMN withdrawn;
                    ALTER TABLE schedules DROP COLUMN webhook;
                    CREATE TABLE dead(id INTEGER PRIMARY KEY, trigger TEXT NOT NULL, path TEXT NOT NULL,
                        change INTEGER NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
                    INSERT INTO dead VALUES (41, 'old', 'a/1', 7, 'why', 1);
                    DELETE FROM grdb_migrations WHERE identifier IN ('9 webhooks', '24 push jobs');
                    """
            )
        }
        try old.close()
        let writer = try Storage.openWriter(store.directory)
        let letters = try writer.read { try $0.dead.list(trigger: nil, before: .max, limit: 9) }
        #expect(letters.map(\.id) == [41])
        #expect(letters.map(\.reason) == ["why"])
        #expect(letters[0].webhook == nil)
        let committed = try writer.commit([()]) { _, transaction -> [Int64] in
            _ = try transaction.dead.delete(41)
            try transaction.triggers.insertDead(
                trigger: "new", path: "a/1", change: Position(8), reason: "why", at: at(2))
            return try transaction.dead.list(trigger: nil, before: .max, limit: 9).map(\.id)
        } refuse: { _ in
            []
        }
        #expect(committed.items[0].outcome == [42])
        try writer.close()
    }
}
