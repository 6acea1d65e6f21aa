import Configuration
import Foundation
import JSON
import Store
import TestSupport
import Testing
@testable import Server

/// A standby that cannot be one says why, and what to do.
@Suite(.serialized) struct StandbyRefusalTests {
    private static func problem(_ start: () throws -> TestServer) throws -> StartProblem {
        do {
            try start().application.stop()
        } catch let problem as StartProblem { return problem }
        throw TCPSocket.Failure(description: "it has started")
    }

    @Test func `a standby of a standby, of a server alone, of itself, and with a journal are refused`() throws {
        let pairing = try StandbyPair()
        let standby = try pairing.startStandby()
        let alone = try TestServer { _ in }
        defer {
            standby.application.stop()
            alone.application.stop()
            pairing.primary.application.stop()
        }
        let folder = TemporaryFolder()
        try pairing.giveSecrets(to: folder)
        func refusal(_ change: (inout ServerConfiguration) -> Void) throws -> StartProblem {
            try Self.problem { try TestServer(in: folder, change) }
        }
        let second = try refusal { $0.cluster.standbyOf = "http://127.0.0.1:\(standby.port)" }
        #expect(second.description.contains("itself the standby of \(pairing.address): follow that one"), "\(second)")
        let itself = try refusal {
            $0.listen = ["0.0.0.0:8099"]
            $0.cluster.standbyOf = "http://localhost:8099"
        }
        #expect(itself.isConfiguration && itself.description.contains("own address"), "\(itself)")
        let both = try refusal {
            $0.cluster.standbyOf = pairing.address
            $0.cluster.journal = ["nats://127.0.0.1:1"]
        }
        #expect(both.isConfiguration && both.description.contains("cannot be given with --journal"), "\(both)")
        let stranger = try refusal { $0.cluster.standbyOf = "http://127.0.0.1:\(alone.port)" }
        // Its secret is another one, so it does not even say that it is alone.
        #expect(stranger.description.contains("the file 'secret' must be the same on both"), "\(stranger)")
        try FileManager.default.copyItem(
            atPath: "\(pairing.folders.standby.path)/watchwise.db", toPath: "\(folder.path)/watchwise.db")
        let far = try refusal { $0.cluster.standbyOf = "http://127.0.0.1:\(standby.port)" }
        #expect(far.description.contains("itself the standby of"), "\(far)")
    }

    @Test func `a server alone, of the same secret, says how a primary is started`() throws {
        let pairing = try StandbyPair()
        let port = pairing.primary.port
        pairing.primary.application.stop()
        let alone = try TestServer(in: pairing.folders.primary) { $0.listen = ["127.0.0.1:\(port)"] }
        defer { alone.application.stop() }
        let problem = try Self.problem { try pairing.startStandby() }
        #expect(problem.description.contains("a primary is started with --keep-commits"), "\(problem)")
    }

    @Test func `a folder without secrets, and one with a database of its own, are refused`() throws {
        let pairing = try StandbyPair()
        defer { pairing.primary.application.stop() }
        let empty = TemporaryFolder()
        let bare = try Self.problem { try TestServer(in: empty) { $0.cluster.standbyOf = pairing.address } }
        #expect(bare.description.contains("copy ") && bare.description.contains("/secret"), "\(bare)")
        let own = TemporaryFolder()
        try TestServer(in: own) { _ in }.application.stop()
        for name in ["secret", "webhook-secret"] {
            try? FileManager.default.removeItem(atPath: "\(own.path)/\(name)")
        }
        try pairing.giveSecrets(to: own)
        let foreign = try Self.problem { try TestServer(in: own) { $0.cluster.standbyOf = pairing.address } }
        #expect(foreign.description.contains("a standby begins with an empty folder"), "\(foreign)")
    }

    @Test func `a primary refuses another schema, another epoch, and more entries than it has`() throws {
        let pairing = try StandbyPair()
        defer { pairing.primary.application.stop() }
        let admin = try pairing.primary.admin()
        let epoch = try StandbyPair.state(pairing.primary)["epoch"]?.stringValue ?? ""
        let schema = Founding.schema
        func ask(_ query: String) throws -> HTTPPeer.Answer { try admin.call("GET", "/v1/standby/entries?" + query) }
        let older = try ask("schema=\(schema - 1)")
        #expect(older.status == 409 && older.text.contains("start the same program on both"), "\(older.text)")
        let other = try ask("schema=\(schema)&after=1&term=1&epoch=abc")
        #expect(other.status == 409 && other.text.contains("has the epoch abc"), "\(other.text)")
        let more = try ask("schema=\(schema)&after=999&term=1&epoch=\(epoch)")
        #expect(more.status == 409 && more.text.contains("the primary ends at"), "\(more.text)")
        #expect(try ask("schema=\(schema)&after=1&term=1&epoch=\(epoch)").status == 410)
        #expect(try ask("schema=\(schema)").status == 410)
        for (query, field) in [
            ("", "schema"), ("schema=x", "schema"), ("schema=\(schema)&after=1", "term"),
            ("schema=\(schema)&after=1&term=1", "epoch"), ("schema=\(schema)&epoch=\(epoch)", "after"),
            ("schema=\(schema)&after=x&term=1&epoch=\(epoch)", "after"), ("schema=\(schema)&end=maybe", "end"),
        ] {
            let answer = try ask(query)
            let named = try answer.json()["field"]
            #expect(answer.status == 400 && named == .string(field), "\(query)")
        }
    }

    @Test func `a standby's folder is served by a standby only`() throws {
        let pairing = try StandbyPair()
        try pairing.startStandby().application.stop()
        pairing.primary.application.stop()
        let problem = try Self.problem { try TestServer(in: pairing.folders.standby) { _ in } }
        #expect(problem.description.contains("belongs to the standby of \(pairing.address)"), "\(problem)")
    }

    @Test func `an old primary does not start while its standby goes on in its place`() throws {
        let pairing = try StandbyPair()
        let port = try Self.freePort()
        let standby = try pairing.startStandby {
            $0.listen = ["127.0.0.1:\(port)"]
            $0.cluster.address = "http://127.0.0.1:\(port)"
        }
        try pairing.catchUp(standby)
        try eventually("the primary knows the address") {
            FileManager.default.fileExists(atPath: pairing.folders.primary.path + "/standby-address")
        }
        pairing.primary.application.stop()
        #expect(try StandbyPair.promote(standby) == nil)
        standby.application.stop()
        let next = try pairing.startStandby { $0.listen = ["127.0.0.1:\(port)"] }
        let problem = try Self.problem {
            try pairing.startPrimary()
            return pairing.primary
        }
        #expect(problem.description.contains("has taken this server's place"), "\(problem)")
        next.application.stop()
        // Nobody answers there: then the folder is good for a start.
        try pairing.startPrimary()
        pairing.primary.application.stop()
    }

    private static func freePort() throws -> UInt16 {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        return server.port
    }
}
