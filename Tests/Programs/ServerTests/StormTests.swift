import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// More sessions than may begin at once, on real connections: each one begins, or is sent away with a time to come
/// back.
struct StormTests {
    private func server(inWork: Int, waiting: Int, wait: Int64 = 60_000) throws -> TestServer {
        try TestServer { configuration in
            configuration.loops = 1
            configuration.startBounds.inWorkMax = inWork
            configuration.startBounds.waitingMax = waiting
            configuration.startBounds.waitMilliseconds = wait
        }
    }

    /// Sends a hello and does not wait.
    private func knock(_ server: TestServer) throws -> Device {
        let device = try server.connect()
        try device.post(Device.helloCommand(token: server.token(server.name("storm"))))
        return device
    }

    private func metric(_ name: String, of server: TestServer) throws -> Int? {
        let page = try HTTPPeer(port: server.port).request("GET", "/metrics").text
        let line = page.split(separator: "\n").first { $0.hasPrefix("watchwise_\(name) ") }
        return line.flatMap { Int($0.split(separator: " ")[1]) }
    }

    private func waitUntil(_ name: String, of server: TestServer, is value: Int) throws {
        for _ in 0..<1000 {
            if try metric(name, of: server) == value { return }
            Thread.pause(milliseconds: 20)
        }
        Issue.record("\(name) is \(String(describing: try metric(name, of: server))), not \(value)")
    }

    private func expectOverloaded(_ device: Device) throws {
        #expect(try device.waitForEnd() == .close(code: 4503, reason: "overloaded"))
        let bye = try #require(device.messages.last)
        #expect(bye["type"] == "bye" && bye["code"] == 4503 && bye["reason"] == "overloaded")
        #expect((1_000...61_000).contains(bye["reconnectInMs"]?.integerValue ?? 0))
    }

    @Test func `a queue that is full turns away with bye, and a place that is left is another's`() throws {
        // No session begins: all must wait.
        let server = try server(inWork: 0, waiting: 3)
        var waiting = try (0..<3).map { _ in try knock(server) }
        try waitUntil("starts_waiting", of: server, is: 3)
        try expectOverloaded(knock(server))
        #expect(try metric(#"byes_total{code="4503"}"#, of: server) == 1)
        waiting.removeLast().peer.socket.close()
        try waitUntil("starts_waiting", of: server, is: 2)
        waiting.append(try knock(server))
        try waitUntil("starts_waiting", of: server, is: 3)
        #expect(waiting.allSatisfy { !$0.peer.hasBytes() })
        // Waiting sessions get `drain` when the server stops, as all sessions do.
        server.application.stop()
        for device in waiting {
            #expect(try device.waitForEnd() == .close(code: 4501, reason: "drain"))
            #expect(device.messages.last?["reconnectInMs"] != nil)
        }
    }

    @Test func `a client that has waited too long is asked to come back later`() throws {
        let server = try server(inWork: 0, waiting: 3, wait: 200)
        let device = try knock(server)
        let stream = try EventStreamPeer(server, token: server.token(server.name("storm")))
        try expectOverloaded(device)
        #expect(try stream.next()?.json()["code"] == 4503)
        try waitUntil("starts_waiting", of: server, is: 0)
    }

    @Test func `with one place in work all begin, one after the other`() throws {
        let server = try server(inWork: 1, waiting: 1_000)
        let devices = try (0..<120).map { _ in try knock(server) }
        for device in devices { try device.event("live") }
        #expect(try metric("sessions", of: server) == 120)
        #expect(try metric("starts_waiting", of: server) == 0)
        for device in devices.prefix(60) { device.peer.socket.close() }
        try waitUntil("sessions", of: server, is: 60)
        try server.device(server.name("after")).settle()
    }

    @Test func `each client of a crowd begins or hears when to come back, and none is left without an answer`() throws {
        let server = try server(inWork: 1, waiting: 2)
        let devices = try (0..<100).map { _ in try server.connect() }
        for device in devices { try device.post(Device.helloCommand(token: server.token(server.name("crowd")))) }
        var begun = 0
        for device in devices {
            let first = try #require(try device.read())
            if first["re"] == 1 {
                try device.event("live")
                begun += 1
            } else {
                try expectOverloaded(device)
            }
        }
        #expect(begun >= 1 && begun < 100)
    }

    @Test func `a client that leaves during its start gives its place to others`() throws {
        let server = try server(inWork: 1, waiting: 1_000)
        for round in 0..<40 {
            let device = try knock(server)
            if round % 2 == 0 { Thread.pause(milliseconds: 1) }
            device.peer.socket.close()
        }
        try server.device(server.name("after")).settle()
        try waitUntil("starts_waiting", of: server, is: 0)
    }
}
