import Foundation
import JSON
import Store
import StoreTestSupport
import TestSupport
import Testing

/// `--keep-commits`, `--standby-of` and `watchwise standby` as an operator runs them: processes that are killed.
@Suite(.serialized, .enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct StandbyProcessTests {
    private let folders = (primary: TemporaryFolder(), standby: TemporaryFolder())

    private func startPrimary(_ port: UInt16 = 0) throws -> ServerProcess {
        try ServerProcess(
            data: folders.primary.path, arguments: ["--listen", "127.0.0.1:\(port)", "--keep-commits"])
    }

    private func startStandby(of primary: ServerProcess) throws -> ServerProcess {
        try ServerProcess(
            data: folders.standby.path,
            arguments: [
                "--listen", "127.0.0.1:\(Self.freePort)", "--standby-of", "http://127.0.0.1:\(primary.port)",
            ])
    }

    /// The port stays the same when a standby starts again as a primary.
    private static let freePort = UInt16.random(in: 20_000..<30_000)

    private func takeSecrets() throws {
        try FileManager.default.createDirectory(
            atPath: folders.standby.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["secret", "webhook-secret"] {
            try FileManager.default.copyItem(
                atPath: "\(folders.primary.path)/\(name)", toPath: "\(folders.standby.path)/\(name)")
        }
    }

    private func run(_ words: [String], at server: ServerProcess) throws -> ServerProcess.Ended {
        try ServerProcess.run(
            words + ["--server", "http://127.0.0.1:\(server.port)", "--data", folders.primary.path])
    }

    private func put(_ name: String, _ server: ServerProcess) throws {
        let ended = try run(["put", "films/\(name)", #"{"a": 1}"#], at: server)
        #expect(ended.status == 0, "\(ended.errors)")
    }

    private func state(_ server: ServerProcess) throws -> JSONValue {
        try JSONValue(parsing: Array(run(["standby", "status", "--json"], at: server).output.utf8))
    }

    private func catchUp(_ standby: ServerProcess, _ primary: ServerProcess) throws {
        for _ in 0..<200 {
            if try state(standby)["applied"] == state(primary)["applied"] { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw TCPSocket.Failure(description: "the standby does not catch up: \(try state(standby).text)")
    }

    /// Ends the primary's writes, also those that come with time.
    private func handOver(_ primary: ServerProcess) throws {
        let token = try ServerProcess.run(["token", "operator", "--admin", "--data", folders.primary.path]).output
        let peer = try HTTPPeer(port: primary.port)
        let bearer = "Bearer " + token.split(separator: "\n").joined()
        let answer = try peer.request(
            "POST", "/v1/standby/handover", headers: [("Authorization", bearer)], body: [])
        #expect(answer.status == 202)
        for _ in 0..<100 where try state(primary)["role"] != "handed-over" { Thread.sleep(forTimeInterval: 0.05) }
    }

    /// The standby ends with the rows of its primary; both are killed for that.
    private func expectEqualRows(_ standby: ServerProcess, _ primary: ServerProcess) throws {
        try handOver(primary)
        try catchUp(standby, primary)
        for server in [standby, primary] {
            server.signal(SIGKILL)
            #expect(server.wait() == -SIGKILL)
        }
        #expect(try differences() == [])
    }

    private func differences() throws -> [String] {
        try NodeFolders.differences(DataDirectory(folders.primary.path), DataDirectory(folders.standby.path))
    }

    @Test func `a standby that is killed at any time has the same rows in the end, and so when the primary is killed`()
        throws
    {
        var primary = try startPrimary()
        try takeSecrets()
        var standby = try startStandby(of: primary)
        for round in 0..<6 {
            for number in 0..<5 { try put("\(round).\(number)", primary) }
            standby.signal(SIGKILL)
            #expect(standby.wait() == -SIGKILL)
            for number in 5..<8 { try put("\(round).\(number)", primary) }
            if round == 3 {
                primary.signal(SIGKILL)
                #expect(primary.wait() == -SIGKILL)
                primary = try startPrimary(primary.port)
            }
            standby = try startStandby(of: primary)
        }
        try expectEqualRows(standby, primary)
    }

    @Test func `a standby that lacks what a killed primary forgot copies the database again by itself`() throws {
        var primary = try startPrimary()
        try takeSecrets()
        let standby = try startStandby(of: primary)
        try put("one", primary)
        try catchUp(standby, primary)
        standby.signal(SIGSTOP)
        for number in 0..<5 { try put("\(number)", primary) }
        primary.signal(SIGKILL)
        _ = primary.wait()
        primary = try startPrimary(primary.port)
        standby.signal(SIGCONT)
        for _ in 0..<200 where (try? state(standby)["applied"] == state(primary)["applied"]) != true {
            Thread.sleep(forTimeInterval: 0.05)
        }
        try expectEqualRows(standby, primary)
    }

    @Test func `promote after the primary was killed leaves every caught-up write, and a server that takes writes`()
        throws
    {
        let primary = try startPrimary()
        try takeSecrets()
        let standby = try startStandby(of: primary)
        for number in 0..<10 { try put("\(number)", primary) }
        try catchUp(standby, primary)
        primary.signal(SIGKILL)
        _ = primary.wait()
        #expect(try run(["put", "films/x", "{}"], at: standby).errors.contains("takes no writes"))
        let refused = try run(["standby", "promote"], at: standby)
        #expect(refused.status == 1 && refused.errors.contains("repeat this with --force"), "\(refused.errors)")
        #expect(try state(standby)["promotion"]?["state"] == "refused")
        let promoted = try run(["standby", "promote", "--force"], at: standby)
        #expect(promoted.status == 0, "\(promoted.errors)")
        #expect(promoted.output.hasPrefix("the standby has taken its primary's place in a new epoch"))
        for number in 0..<10 { #expect(try run(["get", "films/\(number)"], at: standby).status == 0) }
        let again = try run(["standby", "promote"], at: standby)
        #expect(again.output == "this server is a primary already: there is nothing to do\n", "\(again.errors)")
        try put("after", standby)
        #expect(try state(standby)["role"] == "primary")
        standby.signal(SIGTERM)
        #expect(standby.wait() == 0)
    }

    @Test func `promote while the primary runs ends its writes first, so both have the same rows`() throws {
        let primary = try startPrimary()
        try takeSecrets()
        let standby = try startStandby(of: primary)
        for number in 0..<10 { try put("\(number)", primary) }
        let promoted = try run(["standby", "promote"], at: standby)
        #expect(promoted.status == 0, "\(promoted.errors)")
        #expect(promoted.output.contains("in the same epoch"))
        #expect(try state(primary)["role"] == "handed-over")
        primary.signal(SIGTERM)
        #expect(primary.wait() == 0)
        let again = try ServerProcess.run(["serve", "--data", folders.primary.path, "--listen", "127.0.0.1:0"])
        #expect(again.status == 1 && again.errors.contains("was handed over to its standby"), "\(again.errors)")
        let both = try ServerProcess.run([
            "serve", "--data", folders.primary.path, "--standby-of", "http://127.0.0.1:1", "--journal",
            "nats://127.0.0.1:1",
        ])
        #expect(both.status == 2 && both.errors.contains("cannot be given with --journal"), "\(both.errors)")
    }
}
