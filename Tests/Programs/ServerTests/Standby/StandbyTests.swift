import Configuration
import Foundation
import JSON
import Store
import TestSupport
import Testing
@testable import Server

/// A primary and its standby: two servers on sockets and folders of their own.
@Suite(.serialized) struct StandbyTests {
    @Test func `a standby gets a copy and then every commit, serves reads, and refuses sessions and writes`() throws {
        let pairing = try StandbyPair()
        let pair = try pairing.primary.pair()
        try StandbyPair.send(50, pair, "before")
        let standby = try pairing.startStandby()
        try StandbyPair.send(200, pair, "after")
        #expect(try pairing.primary.admin().call("PUT", "/v1/documents/films/1", ["a": 1]).status < 300)
        try pairing.catchUp(standby)
        let state = try StandbyPair.state(standby)
        #expect(state["role"] == "standby")
        #expect(state["primary"]?.stringValue == pairing.address)
        let ready = try standby.admin().call("GET", "/readyz")
        #expect(ready.status == 503 && ready.text.contains("is the standby of \(pairing.address)"), "\(ready.text)")
        // The primary answers a write before it counts it.
        try eventually("the document is there") {
            try standby.admin().call("GET", "/v1/documents/films/1").status == 200
        }
        let refused = try standby.admin().call("PUT", "/v1/documents/films/2", ["a": 1])
        #expect(refused.status == 503 && refused.text.contains(pairing.address), "\(refused.text)")
        #expect(refused.text.contains("takes no writes"), "\(refused.text)")
        let alice = Admin(try HTTPPeer(port: standby.port), token: try standby.token("alice"))
        let closed = try alice.call("GET", "/v1/events", headers: [("Accept", "text/event-stream")])
        #expect(closed.status == 503 && closed.text.contains("the standby of \(pairing.address)"), "\(closed.text)")
        #expect(closed.text.contains("unavailable"), "\(closed.text)")
        #expect(throws: (any Error).self) { _ = try standby.connect() }
        let found = try pairing.differences(standby)
        #expect(found == [])
    }

    @Test func `metrics and statistics of both show the lag`() throws {
        let pairing = try StandbyPair()
        let relay = try CutRelay(to: pairing.primary.port)
        let standby = try pairing.startStandby { $0.cluster.standbyOf = "http://127.0.0.1:\(relay.port)" }
        defer {
            standby.application.stop()
            pairing.primary.application.stop()
        }
        try pairing.catchUp(standby)
        let whole = try standby.admin().call("GET", "/v1/stats").json()["standby"]
        #expect(whole?["lagEntries"] == 0)
        relay.stop()
        try StandbyPair.send(5, try pairing.primary.pair(), "far")
        try eventually("the lag grows") {
            let metrics = try standby.admin().call("GET", "/metrics").text
            let line = metrics.split(separator: "\n").first { $0.hasPrefix("watchwise_journal_lag_milliseconds ") }
            return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0 > 1000
        }
        let far = try standby.admin().call("GET", "/v1/stats").json()
        #expect(far["standby"]?["lagMilliseconds"]?.integerValue ?? 0 > 1000)
        #expect(far["ready"]?.stringValue?.contains("is the standby of") == true)
        #expect(far["standby"]?["problem"] != nil)
        let primary = try pairing.primary.admin()
        try eventually("the primary sees it, too") {
            let metrics = try primary.call("GET", "/metrics").text
            let line = metrics.split(separator: "\n").first { $0.hasPrefix("watchwise_standby_lag_entries ") }
            return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0 >= 5
        }
        #expect(try primary.call("GET", "/v1/stats").json()["standby"]?["standby"]?["lacks"]?.integerValue ?? 0 >= 5)
    }

    @Test func `a thousand writes leave equal databases, with the servers started again now and then`() throws {
        let pairing = try StandbyPair()
        var standby = try pairing.startStandby()
        for round in 0..<5 {
            let pair = try pairing.primary.pair()
            try StandbyPair.send(100, pair, "r\(round)")
            standby.application.stop()
            try StandbyPair.send(100, pair, "s\(round)")
            standby = try pairing.startStandby()
            if round == 2 {
                pairing.primary.application.stop()
                try pairing.startPrimary()
            }
        }
        try pairing.catchUp(standby)
        #expect(try pairing.differences(standby) == [])
    }

    @Test func `a standby that was away while the primary was stopped cleanly goes on without a new copy`() throws {
        let pairing = try StandbyPair()
        let pair = try pairing.primary.pair()
        let standby = try pairing.startStandby()
        try pairing.catchUp(standby)
        standby.application.stop()
        let inode = try Self.inode(pairing.folders.standby)
        try StandbyPair.send(20, pair, "one")
        pairing.primary.application.stop()
        try pairing.startPrimary()
        let next = try pairing.startStandby()
        try pairing.catchUp(next)
        #expect(try pairing.differences(next) == [])
        #expect(try Self.inode(pairing.folders.standby) == inode)
    }

    @Test func `a server that ran without keeping its commits gives its standby a new copy`() throws {
        let pairing = try StandbyPair()
        let standby = try pairing.startStandby()
        try pairing.catchUp(standby)
        standby.application.stop()
        pairing.primary.application.stop()
        let inode = try Self.inode(pairing.folders.standby)
        let alone = try TestServer(in: pairing.folders.primary) { _ in }
        #expect(try alone.admin().call("GET", "/v1/standby").status == 404)
        #expect(try alone.admin().call("PUT", "/v1/documents/films/2", ["a": 1]).status < 300)
        alone.application.stop()
        try pairing.startPrimary()
        let next = try pairing.startStandby()
        try pairing.catchUp(next)
        #expect(try pairing.differences(next) == [])
        #expect(try Self.inode(pairing.folders.standby) != inode)
    }

    private static func inode(_ folder: TemporaryFolder) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/watchwise.db")
        return (attributes[.systemFileNumber] as? NSNumber)?.intValue
    }

    @Test func `without a standby nothing is recorded after a time, and the next one gets a new copy`() throws {
        let folder = TemporaryFolder()
        let primary = try TestServer(in: folder) {
            $0.cluster.keepsCommits = true
            $0.cluster.keepMilliseconds = 3000
        }
        let admin = try primary.admin()
        func entries() throws -> Int {
            let lines = try admin.call("GET", "/metrics").text.split(separator: "\n")
            let line = lines.first { $0.hasPrefix("watchwise_journal_entry_bytes_count ") }
            return line.flatMap { Int($0.split(separator: " ")[1]) } ?? -1
        }
        let atFirst = try entries()
        #expect(try admin.call("PUT", "/v1/documents/films/1", ["a": 1]).status < 300)
        try eventually("it is recorded") { try entries() > atFirst }
        Thread.pause(milliseconds: 6000)
        let before = try entries()
        for number in 0..<20 { #expect(try admin.call("PUT", "/v1/documents/films/\(number)", ["a": 2]).status < 300) }
        #expect(try entries() == before)
        let standbyFolder = TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: standbyFolder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["secret", "webhook-secret"] {
            try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(standbyFolder.path)/\(name)")
        }
        let standby = try TestServer(in: standbyFolder) { $0.cluster.standbyOf = "http://127.0.0.1:\(primary.port)" }
        #expect(try admin.call("PUT", "/v1/documents/films/1", ["a": 3]).status < 300)
        #expect(try entries() > before)
        try eventually("the standby has it") {
            try standby.admin().call("GET", "/v1/documents/films/1").json()["data"]?["a"] == 3
        }
        standby.application.stop()
        primary.application.stop()
    }
}
