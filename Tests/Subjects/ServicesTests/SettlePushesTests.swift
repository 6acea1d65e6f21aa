import JSON
import Model
import Notifying
import Push
import Services
import ServicesTestSupport
import Store
import Testing

/// The results of the sender of pushes.
struct SettlePushesTests {
    private let house: House

    init() throws {
        house = try House()
        for name in ["alice", "bob"] {
            _ = try house.actor(name)
            try house.addDevice(of: name)
        }
    }

    private func device(_ id: Int64 = 1) throws -> PushDeviceEntry? { try house.look { try $0.pushDevices.find(id) } }

    private func settle(_ effect: PushSettlement.DeviceChange.Effect, registered: Timestamp? = nil) throws {
        var settlement = PushSettlement()
        var change = PushSettlement.DeviceChange(try #require(try device()), effect)
        change.registered = registered ?? change.registered
        settlement.devices = [change]
        try house.settle(settlement)
    }

    @Test func `a page of another cursor changes nothing, nor do its tries`() throws {
        try house.broadcast("everyone")
        let page = try house.page(of: house.pushJob)
        try house.settle(page)
        let job = try house.pushJob
        #expect(job.pushed == 2)
        #expect(job.state == .ended)
        #expect(try house.states(ofTries: job.id) == [.sent, .sent])
        var late = page
        late.tries[0].number = 2
        late.progress[0].pushed = 7
        try house.settle(late)
        #expect(try house.pushJob == job)
        #expect(try house.look { try $0.pushJobs.find(job: job.id, device: 1) }?.attempts == 1)
    }

    @Test func `a device that fails often and never succeeds goes after a month`() throws {
        for number in 1...5 {
            try settle(.failed(problem: "p\(number)", at: house.now))
            #expect(try device()?.failures == Int64(number))
        }
        #expect(try device()?.problem == "p5")
        try settle(.failed(problem: nil, at: house.now.adding(milliseconds: 30 * 86_400_000 - 1)))
        #expect(try device()?.problem == "p5")
        try settle(.sent(at: house.now.adding(milliseconds: 1)))
        #expect(try device()?.failures == 0)
        #expect(try device()?.problem == nil)
        #expect(try device()?.succeeded == house.now.adding(milliseconds: 1))
        for _ in 1...5 { try settle(.failed(problem: nil, at: house.now.adding(milliseconds: 30 * 86_400_000))) }
        #expect(try device() != nil)
        try settle(.failed(problem: nil, at: house.now.adding(milliseconds: 30 * 86_400_000 + 1)))
        #expect(try device() == nil)
    }

    @Test func `a consequence for a device counts once, and not for a later registration`() throws {
        try house.broadcast("user:alice")
        var page = try house.page(of: house.pushJob, .again(at: house.now, variant: "usual"))
        page.devices = [PushSettlement.DeviceChange(try #require(try device()), .failed(problem: nil, at: house.now))]
        try house.settle(page)
        try house.settle(page)
        #expect(try device()?.failures == 1)
        try settle(.removed(reason: "410"), registered: house.now.adding(milliseconds: -1))
        #expect(try device() != nil)
        try settle(.corrected(.sandbox))
        #expect(try device()?.registration.environment == .sandbox)
        try settle(.removed(reason: "410"))
        #expect(try device() == nil)
        #expect(try house.states(ofTries: 1) == [.skipped], "it waited for another try")
    }

    @Test func `a ban takes back all pushes of the user, also those under way`() throws {
        for audience in ["user:alice", "user:bob", "everyone"] {
            try house.broadcast(audience)
            try house.push(try house.pushJob)
        }
        try house.broadcast("user:alice")
        let underWay = try house.page(of: house.pushJob)
        try house.restrict("alice", .ban)
        let jobs = try house.pushJobs
        func notifications(_ places: Int...) -> Set<PushGoneEntry.Subject> {
            Set(places.map { .notification(jobs[$0].position) })
        }
        #expect(Set(try house.gone()) == notifications(0, 2))
        try house.settle(underWay)
        #expect(Set(try house.gone()) == notifications(0, 2, 3))
        #expect(try house.gone(fromDevice: 2).isEmpty)
        #expect(try house.states(ofTries: jobs[2].id) == [.withdrawn, .sent])
    }

    @Test(arguments: [true, false])
    func `of many pushes the newest are taken back, and none is looked at twice`(isBan: Bool) throws {
        for _ in 0..<PushLimits.goneKeptMax + 5 {
            try house.broadcast("user:alice")
            try house.push(try house.pushJob)
        }
        let jobs = try house.pushJobs
        if isBan { try house.restrict("alice", .ban) } else { try house.seen("alice", upTo: house.head.value) }
        #expect(try house.gone() == jobs.suffix(PushLimits.goneKeptMax).map { .notification($0.position) })
        for job in jobs { #expect(try house.states(ofTries: job.id) == [.withdrawn]) }
    }

    @Test func `a removal that the device knows of is forgotten`() throws {
        try house.broadcast("user:alice")
        try house.push(try house.pushJob)
        try house.seen("alice", upTo: house.head.value)
        let row = try #require(try house.look { try $0.pushJobs.gone(ofDevice: 1) }.first)
        var settlement = PushSettlement()
        settlement.told = [PushSettlement.Told(device: 1, rows: [row.id], withdrawalAt: house.now)]
        try house.settle(settlement)
        #expect(try house.gone().isEmpty)
        #expect(try device()?.withdrawn == house.now)
    }

    @Test func `a push that gave up is a dead letter, which can be retried and deleted`() throws {
        try house.broadcast("user:alice")
        try house.settle(house.page(of: house.pushJob, .dead))
        #expect(try house.pushJob.failed == 1)
        let letters = try house.read(ListDead(before: nil, limit: 9), by: "admin")
        let letter = try #require(letters["dead"]?.arrayValue?.first)
        #expect(letter["kind"] == "push")
        #expect(letter["job"] == "1")
        #expect(letter["device"] == "1")
        #expect(letter["reason"] == "200")
        let position = try house.pushJob.position
        #expect(letter["path"] == .string("notifications/n\(position)"))
        let id = try #require(letter["id"]?.integerValue)
        let answer = try house.write(RetryDead(id: id, key: nil), by: "admin")
        #expect(answer["kind"] == "push")
        #expect(answer["queued"] == true)
        #expect(try house.states(ofTries: 1) == [.open])
        #expect(try house.pushJob.failed == 0)
        var again = PushSettlement()
        again.tries = [
            PushSettlement.Try(job: 1, device: 1, number: 2, at: house.now, status: 400, answer: "no", .dead)
        ]
        try house.settle(again)
        #expect(try house.pushJob.failed == 1)
        let second = try #require(
            try house.read(ListDead(before: nil, limit: 9), by: "admin").integers("dead", "id").first)
        #expect(try house.write(DeleteDead(id: second), by: "admin")["id"] == .integer(second))
        #expect(try house.states(ofTries: 1) == [.dead])
    }

    @Test func `a letter whose device is gone is not queued`() throws {
        try house.broadcast("user:alice")
        try house.settle(house.page(of: house.pushJob, .dead))
        try house.write(RemoveDevice("phone"), by: "alice")
        #expect(try house.write(RetryDead(id: 1, key: nil), by: "admin")["queued"] == false)
    }

    @Test func `a broadcast has the counts of its pushes`() throws {
        try house.broadcast("everyone")
        var page = try house.page(of: house.pushJob)
        page.progress[0].pushed = 1
        page.progress[0].skipped = 1
        try house.settle(page)
        let answer = try house.read(ReadBroadcast(id: 1, delivered: 0), by: "admin")
        #expect(answer["pushed"] == 1)
        #expect(answer["skipped"] == 1)
        #expect(answer["failed"] == 0)
    }

    @Test func `jobs go with their entry in the log, or after a week`() throws {
        for _ in 1...3 { try house.broadcast("everyone") }
        try house.push(try house.pushJobs[0])
        try house.push(try house.pushJobs[1])
        house.now = house.now.adding(milliseconds: PushLimits.jobMilliseconds)
        try house.trim(keeping: nil)
        #expect(try house.pushJobs.count == 3)
        house.now = house.now.adding(milliseconds: 1)
        try house.trim(keeping: nil)
        #expect(try house.pushJobs.map(\.id) == [3], "it is still to be sent")
        #expect(try house.look { try $0.pushJobs.tries(of: 1, limit: 9) }.isEmpty)
    }
}
