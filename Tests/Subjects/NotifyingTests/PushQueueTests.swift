import JSON
import Model
import Notifying
import Push
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

/// The jobs that are made with notifications, and the pushes that are taken back.
struct PushQueueTests {
    private let house: House

    init() throws {
        house = try House()
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        try house.follow("alice", "person:1")
    }

    private func id(_ name: String = "alice") throws -> String {
        try #require(try house.notifications(name).texts("notifications", "id").first)
    }

    private func pass(milliseconds: Int64) throws {
        house.now = house.now.adding(milliseconds: milliseconds)
        try house.write(DeliverDue(), by: "server")
    }

    /// A row that notifies of each version of an item: the same item is one notification, and a later version interrupts
    /// nobody.
    private func putCorrected(level: String = "active") throws {
        try house.put(
            trigger: [
                "name": "corrected", "event": "write", "path": "items/{item}", "audience": "followers:person:1",
                "title": "{{after.title}}", "collapse": "{{item}}", "alertOnce": true, "level": .string(level),
            ])
    }

    // MARK: Jobs

    @Test func `a notification in an inbox has a job if its user has a device`() throws {
        try house.broadcast("user:alice")
        #expect(try house.pushJobs.isEmpty)
        try house.addDevice(of: "bob")
        try house.broadcast("user:alice")
        #expect(try house.pushJobs.isEmpty)
        try house.addDevice(of: "alice")
        let position = try #require(try house.broadcast("user:alice").seq)
        let job = try house.pushJob
        #expect(try house.pushJobs.count == 1)
        #expect(job.kind == .notification)
        #expect(job.position.value == position)
        #expect(try job.stream == house.entry("alice").id)
        #expect(!job.isShared)
        #expect(job.state == .waiting)
        #expect(job.at == house.now)
        #expect(job.due == house.now)
        #expect(job.ends == house.now.adding(milliseconds: PushLimits.activeMilliseconds))
    }

    @Test(arguments: ["person:1", "everyone"])
    func `a notification that many read has one job if any device is registered`(audience: String) throws {
        try house.broadcast(audience)
        #expect(try house.pushJobs.isEmpty)
        try house.addDevice(of: "bob")
        let expires = house.now.adding(milliseconds: 5_000)
        try house.broadcast(audience, expires: expires)
        #expect(try house.pushJobs.map(\.isShared) == [true])
        #expect(try house.pushJob.ends == expires)
    }

    @Test func `a user whose preferences silence it has no job`() throws {
        try house.addDevice(of: "alice")
        try house.write(ChangePreferences(["levels": ["time-sensitive"]]), by: "alice")
        try house.broadcast("user:alice")
        #expect(try house.pushJobs.isEmpty)
    }

    @Test func `a digest that comes due has a job of its kind, and the notifications in it have none`() throws {
        try house.addDevice(of: "alice")
        try house.write(
            ChangePreferences(["digest": ["broadcast": ["every": 600]]]), by: "alice")
        for number in 1...3 { try house.broadcast("user:alice", "News \(number)") }
        #expect(try house.pushJobs.map(\.kind) == [.notification], "the first one interrupts")
        try pass(milliseconds: 600_000)
        #expect(try house.pushJobs.map(\.kind) == [.notification, .digest])
        let job = try house.pushJob
        #expect(job.ends == house.now.adding(milliseconds: PushLimits.digestMilliseconds))
    }

    @Test func `a snoozed notification has a job when it comes back`() throws {
        try house.broadcast("user:alice")
        try house.addDevice(of: "alice")
        let command = SnoozeCommand(ids: [try id()], until: house.now.adding(milliseconds: 60_000))
        try house.write(SnoozeNotifications(command), by: "alice")
        #expect(try house.pushJobs.isEmpty)
        try pass(milliseconds: 60_000)
        #expect(try house.pushJobs.map(\.kind) == [.notification])
        #expect(try house.pushJob.position == house.head)
    }

    // MARK: Later versions

    @Test func `a version that comes before the push rings with its own text`() throws {
        try putCorrected()
        try house.addDevice(of: "alice")
        try house.put("items/1", ["title": "one"])
        let first = try house.pushJob
        try house.put("items/1", ["title": "two"])
        let job = try house.pushJob
        #expect(try house.pushJobs.count == 1)
        #expect(job.id == first.id)
        #expect(job.position > first.position)
        #expect(try id() == NotificationEntry.id(of: job.position))
    }

    @Test func `a version that comes after the push is a quiet update, one at a time`() throws {
        try putCorrected()
        try house.addDevice(of: "alice")
        try house.put("items/1", ["title": "one"])
        let first = try house.pushJob
        try house.push(first)
        try house.put("items/1", ["title": "two"])
        try house.put("items/1", ["title": "three"])
        #expect(try house.pushJobs.map(\.kind) == [.notification, .quietUpdate])
        let quiet = try house.pushJob
        #expect(quiet.previous == first.id)
        #expect(try id() == NotificationEntry.id(of: quiet.position))
        #expect(try house.pushJob(first.id).position == quiet.position)
        try house.push(quiet)
        try house.put("items/1", ["title": "four"])
        #expect(try house.pushJobs.map(\.previous) == [nil, first.id, first.id])
        try house.push(try house.pushJob)
        #expect(try house.states(ofTries: try house.pushJob.id) == [.sent])
        try house.seen("alice", ids: [id()])
        #expect(try house.gone() == [.notification(try house.pushJob.position)], "once, whatever the number of jobs")
    }

    @Test func `a version of one that nobody was pushed changes nothing on a screen`() throws {
        try putCorrected()
        try house.addDevice(of: "alice")
        try house.put("items/1", ["title": "one"])
        try house.settle(house.page(of: house.pushJob, .skipped))
        try house.put("items/1", ["title": "two"])
        #expect(try house.pushJobs.count == 1)
    }

    @Test func `a version that was written while the page was sent becomes a quiet update`() throws {
        try putCorrected()
        try house.addDevice(of: "alice")
        try house.put("items/1", ["title": "one"])
        let underWay = try house.page(of: house.pushJob)
        try house.put("items/1", ["title": "two"])
        #expect(try house.pushJobs.count == 1)
        try house.settle(underWay)
        try house.settle(underWay)
        #expect(try house.pushJobs.map(\.kind) == [.notification, .quietUpdate])
        #expect(try house.pushJob.previous == 1)
    }

    @Test func `a ringing notification that replaces another gets its own job, and the other's job ends`() throws {
        try house.addDevice(of: "alice")
        try house.broadcast("person:1", collapse: "c")
        try house.broadcast("person:1", collapse: "c")
        #expect(try house.pushJobs.map(\.state) == [.ended, .waiting])
        try house.push(try house.pushJob)
        try house.broadcast("person:1", collapse: "c")
        #expect(try house.pushJobs.map(\.kind) == [.notification, .notification, .notification])
        #expect(try house.gone().isEmpty, "it has the same tag")
    }

    // MARK: Taking back

    @Test func `a notification that is seen is taken back from the devices that were pushed`() throws {
        for device in ["phone", "watch"] { try house.addDevice(device, of: "alice") }
        try house.addDevice(of: "bob")
        for audience in ["user:alice", "person:1", "everyone"] { try house.broadcast(audience) }
        for job in try house.pushJobs { try house.push(job) }
        let positions = try house.pushJobs.map(\.position)
        try house.seen("alice", ids: [NotificationEntry.id(of: positions[2])])
        #expect(try house.gone() == [.notification(positions[2])])
        try house.seen("alice", upTo: positions[1].value)
        #expect(try house.gone(fromDevice: 2) == [2, 0, 1].map { .notification(positions[$0]) })
        #expect(try house.gone(fromDevice: 3).isEmpty)
        #expect(try house.states(ofTries: 3) == [.withdrawn, .withdrawn, .sent])
    }

    @Test func `a snoozed notification is taken back`() throws {
        try house.addDevice(of: "alice")
        for audience in ["user:alice", "person:1"] { try house.broadcast(audience) }
        for job in try house.pushJobs { try house.push(job) }
        let ids = try house.notifications("alice").texts("notifications", "id")
        let command = SnoozeCommand(ids: ids, until: house.now.adding(milliseconds: 60_000))
        try house.write(SnoozeNotifications(command), by: "alice")
        #expect(try Set(house.gone()) == Set(house.pushJobs.map { .notification($0.position) }))
    }

    @Test func `an archived notification is taken back, and is not pushed later`() throws {
        try house.addDevice(of: "alice")
        for audience in ["user:alice", "person:1"] { try house.broadcast(audience) }
        for job in try house.pushJobs { try house.push(job) }
        for audience in ["user:alice", "person:1"] { try house.broadcast(audience) }
        let ids = try house.notifications("alice").texts("notifications", "id")
        try house.write(ArchiveNotifications(ids, key: nil), by: "alice")
        let jobs = try house.pushJobs
        #expect(try Set(house.gone()) == Set(jobs.prefix(2).map { .notification($0.position) }))
        // The job of a topic is for all its readers. It leaves out those who have seen the notification.
        #expect(jobs.map(\.state).suffix(2) == [.ended, .waiting])
        let alice = try house.entry("alice")
        #expect(try house.look { try $0.notifications.isSeen(jobs[3].position, by: alice) })
    }

    @Test func `a removed notification in an inbox is taken back, or its job ends`() throws {
        try house.addDevice(of: "alice")
        for _ in 1...2 { try house.broadcast("user:alice") }
        try house.push(try house.pushJobs[0])
        for id: Int64 in 1...2 { try house.write(CancelBroadcast(id: id), by: "admin") }
        #expect(try house.pushJobs.map(\.state) == [.ended, .ended])
        #expect(try house.gone() == [.notification(try house.pushJobs[0].position)])
    }

    @Test func `a removed notification of a topic makes a withdrawal for the devices that were pushed`() throws {
        try house.addDevice(of: "alice")
        for _ in 1...2 { try house.broadcast("person:1") }
        try house.push(try house.pushJobs[0])
        for id: Int64 in 1...2 { try house.write(CancelBroadcast(id: id), by: "admin") }
        #expect(try house.pushJobs.map(\.kind) == [.notification, .notification, .withdrawal])
        let withdrawal = try house.pushJob
        #expect(withdrawal.previous == 1)
        let first = try house.pushJobs[0]
        #expect(withdrawal.position == first.position)
        #expect(withdrawal.ends == house.now.adding(milliseconds: PushLimits.withdrawalMilliseconds))
        #expect(try house.gone().isEmpty)
        try house.push(withdrawal)
        #expect(try house.gone() == [.notification(withdrawal.position)])
        #expect(try house.states(ofTries: 1) == [.withdrawn])
    }

    @Test func `a notification is taken back from devices when a silent one replaces it`() throws {
        try house.addDevice(of: "alice")
        try house.broadcast("user:alice", collapse: "c")
        try house.push(try house.pushJob)
        try house.write(ChangePreferences(["levels": ["time-sensitive"]]), by: "alice")
        try house.broadcast("user:alice", collapse: "c")
        #expect(try house.gone() == [.notification(try house.pushJob.position)])
    }

    @Test(arguments: [true, false])
    func `a notification that is seen or removed during its push is taken back`(isRemoved: Bool) throws {
        try house.addDevice(of: "alice")
        try house.broadcast("user:alice")
        let underWay = try house.page(of: house.pushJob)
        if isRemoved {
            try house.write(CancelBroadcast(id: 1), by: "admin")
        } else {
            try house.seen("alice", ids: [id()])
        }
        #expect(try house.gone().isEmpty)
        try house.settle(underWay)
        #expect(try house.gone() == [.notification(try house.pushJob.position)])
        #expect(try house.pushJob.state == .ended)
    }
}
