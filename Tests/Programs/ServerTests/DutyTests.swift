import Configuration
import EventLoop
import Foundation
import JSON
import Model
import Quotas
import Searching
import Services
import Store
import Telemetry
import TestSupport
import Testing
import ThreadMessages
@testable import Server

/// The duties of one node: feeds, webhooks and pushes begin and end when the writer says so.
struct DutyTests {
    /// Longer than a thread without a rest takes to notice work.
    private static let whileMilliseconds = 500

    @Test func `webhooks wait while the node has not the duty, and are sent when it begins again`() throws {
        let world = try WebhookTests.World()
        try world.trigger()
        world.server.application.mail.tellDuty(isOn: false)
        try world.put()
        Thread.pause(milliseconds: Self.whileMilliseconds)
        #expect(world.hook.requests.isEmpty)
        world.server.application.mail.tellDuty(isOn: true)
        try world.waitForRequests(1)
        try world.wait("the result") { try world.endpoint()["status"] == 200 }
        #expect(world.hook.requests.count == 1)
    }

    @Test func `a webhook under way when the duty ends is sent again under the same id by the next one`() throws {
        let world = try WebhookTests.World(answering: { _ in
            var answer = WebServer.Answer()
            answer.delayMilliseconds = 200
            return answer
        })
        try world.trigger()
        try world.put()
        try world.waitForRequests(1)
        let mail = world.server.application.mail
        mail.tellDuty(isOn: false)
        Thread.pause(milliseconds: Self.whileMilliseconds)
        #expect(world.hook.requests.count == 1)
        #expect(try world.endpoint()["status"] != 200, "the answer came without the duty, and is not recorded")
        mail.tellDuty(isOn: true)
        try world.waitForRequests(2)
        try world.wait("the result") { try world.endpoint()["status"] == 200 }
        let ids = world.hook.requests.map { $0.headers["webhook-id"] }
        #expect(ids.count == 2 && ids[0] != nil && ids[0] == ids[1])
    }

    @Test func `a member's threads begin without the duty`() throws {
        let world = try WebhookTests.World()
        try world.trigger()
        world.server.application.mail.tellDuty(isOn: false)
        try world.put()
        world.server.application.stop()

        var configuration = ServerConfiguration()
        configuration.data = world.folder.path
        configuration.logLevel = .silent
        configuration.cluster.journal = ["nats://127.0.0.1:4222"]
        world.configure(&configuration)
        let log = ServerLog(minimum: .silent, clock: configuration.clock)
        let directory = try ServerFolder(configuration.data, log).directory
        let mail = Mailboxes(loops: 1, readers: 1, reachesOutside: true, hasIssuers: false, isMember: true)
        let start = ThreadStart(
            configuration: configuration, directory: directory, index: SearchFile(in: directory), mail: mail,
            metrics: Metrics(peerMemory: PeerMemory(bytesMax: 1 << 20)), log: log, storage: StorageHealth(),
            watchedPaths: WatchedPaths(), stage: nil)
        let thread = try #require(try start.webhooks())
        mail.webhooks?.post(.look)
        Thread.pause(milliseconds: Self.whileMilliseconds)
        #expect(world.hook.requests.isEmpty)
        mail.tellDuty(isOn: true)
        try world.waitForRequests(1)
        thread.tell(.stop)
        thread.join()
    }

    @Test func `feeds rest without the duty, are read from the database when it begins, and then know what they knew`()
        throws
    {
        let rss = FeedTests.rss([("1", "Old")])
        let world = try FeedTests.World(["/rss": WebServer.Answer(headers: [("ETag", "\"1\"")], body: rss)])
        let mail = world.server.application.mail
        mail.tellDuty(isOn: false)
        try world.put("dept", ["kind": "rss", "url": .string(world.source.url + "/rss"), "interval": "1h"])
        Thread.pause(milliseconds: Self.whileMilliseconds)
        #expect(world.source.server.requests.isEmpty)
        mail.tellDuty(isOn: true)
        try world.settle("dept", requests: 1)
        #expect(try world.document("announcements/1")?["title"] == "Old")
        mail.tellDuty(isOn: false)
        mail.tellDuty(isOn: true)
        try world.wait("the feeds are loaded") { try world.state("dept", "requests") == 0 }
        Thread.pause(milliseconds: Self.whileMilliseconds)
        #expect(world.source.server.requests.count == 1, "it is not due")
        try world.run("dept")
        #expect(world.source.server.requests.last?.headers["if-none-match"] == "\"1\"")
    }

    @Test func `an answer to a feed that comes without the duty is not used`() throws {
        var slow = WebServer.Answer(body: FeedTests.rss([("1", "Old")]))
        slow.delayMilliseconds = 200
        let world = try FeedTests.World(["/rss": slow])
        let mail = world.server.application.mail
        try world.put("dept", ["kind": "rss", "url": .string(world.source.url + "/rss"), "interval": "1h"])
        try world.wait("a request") { world.source.server.requests.count == 1 }
        mail.tellDuty(isOn: false)
        Thread.pause(milliseconds: Self.whileMilliseconds)
        #expect(try world.document("announcements/1") == nil)
        mail.tellDuty(isOn: true)
        try world.wait("the document") { try world.document("announcements/1") != nil }
        #expect(world.source.server.requests.count == 2)
    }

    @Test(.enabled(if: ProviderFake.isInstalled && TestAuthority.made != nil && Certificates.made != nil))
    func `pushes wait while the node has not the duty, and are sent once when it begins`() throws {
        let world = try PushWorld()
        try world.register("alice")
        let mail = world.server.application.mail
        mail.tellDuty(isOn: false)
        try world.notify("user:alice", "Later")
        Thread.pause(milliseconds: Self.whileMilliseconds)
        #expect(try world.requests(of: world.apns).isEmpty)
        mail.tellDuty(isOn: true)
        try world.wait(1)
        try world.settle()
        mail.tellDuty(isOn: false)
        mail.tellDuty(isOn: true)
        try world.notify("user:alice", "Again")
        try world.wait(2)
        try world.settle()
        #expect(try world.requests(of: world.apns).count == 2)
    }
}
