import Configuration
import EventLoop
import Foundation
import JSON
import Store
import StoreTestSupport
import TestSupport
@testable import Server

/// A primary on a socket and a folder of its own, and the folder of its standby.
/// - Confinement: one thread at a time
final class StandbyPair {
    let folders = (primary: TemporaryFolder(), standby: TemporaryFolder())
    private(set) var primary: TestServer
    let address: String

    init() throws {
        primary = try TestServer(in: folders.primary) { $0.cluster.keepsCommits = true }
        address = "http://127.0.0.1:\(primary.port)"
        try giveSecrets(to: folders.standby)
    }

    /// Copies the files that a standby needs before its first start.
    func giveSecrets(to folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["secret", "webhook-secret"] {
            try FileManager.default.copyItem(
                atPath: "\(folders.primary.path)/\(name)", toPath: "\(folder.path)/\(name)")
        }
    }

    func startPrimary() throws {
        primary = try TestServer(in: folders.primary) { [port = primary.port] in
            $0.cluster.keepsCommits = true
            $0.listen = ["127.0.0.1:\(port)"]
        }
    }

    func startStandby(_ change: (inout ServerConfiguration) -> Void = { _ in }) throws -> TestServer {
        try TestServer(in: folders.standby) {
            $0.cluster.standbyOf = address
            change(&$0)
        }
    }

    /// Waits until the standby has all that the primary has.
    func catchUp(_ standby: TestServer) throws {
        try eventually("the standby has everything") {
            let (one, two) = (try Self.state(primary), try Self.state(standby))
            return one["applied"] == two["applied"] && two["last"] == two["applied"]
        }
    }

    /// Ends the writes of the primary, stops both when the standby has all of them, and compares all rows.
    func differences(_ standby: TestServer) throws -> [String] {
        guard try primary.admin().call("POST", "/v1/standby/handover").status == 202 else {
            throw TCPSocket.Failure(description: "the primary does not hand over")
        }
        try eventually("no more writes") { try Self.state(primary)["role"] == "handed-over" }
        try catchUp(standby)
        standby.application.stop()
        primary.application.stop()
        return try stoppedDifferences()
    }

    /// Compares all rows of the two folders, which no server may have open.
    func stoppedDifferences() throws -> [String] {
        try NodeFolders.differences(DataDirectory(folders.primary.path), DataDirectory(folders.standby.path))
    }

    static func state(_ server: TestServer) throws -> JSONValue {
        try server.admin().call("GET", "/v1/standby").json()
    }

    /// Sends messages with keys, and waits for their replies.
    static func send(_ count: Int, _ pair: Pair, _ stem: String) throws {
        let ids = try (0..<count).map { number in
            try pair.alicePhone.post([
                "type": "send", "chat": .string(pair.chat), "text": .string("\(stem) \(number)"),
                "key": .string("\(stem).\(number)"),
            ])
        }
        for id in ids where try pair.alicePhone.reply(to: id)["ok"] == nil {
            throw TCPSocket.Failure(description: "a message was refused")
        }
    }

    /// Asks a standby to take its primary's place.
    ///
    /// - Returns: why it does not; nil when it does, and wants to be started again.
    static func promote(_ standby: TestServer, isForced: Bool = false) throws -> String? {
        let answer = try standby.admin().call("POST", "/v1/standby/promote" + (isForced ? "?force=true" : ""))
        guard answer.status == 202 else { return answer.text }
        var refusal: String?
        try eventually("the promotion has ended") {
            if standby.application.rejoins != nil { return true }
            let promotion = try state(standby)["promotion"]
            if promotion?["state"] == "refused" { refusal = promotion?["reason"]?.stringValue }
            return refusal != nil
        }
        return refusal
    }

    /// Starts the standby again, as its process does when it takes the primary's place.
    func restart(
        _ standby: TestServer, _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> TestServer {
        standby.application.stop()
        return try startStandby(change)
    }
}

/// Waits until a condition holds.
func eventually(_ what: String, seconds: Int = 20, _ isTrue: () throws -> Bool) throws {
    for _ in 0..<seconds * 50 {
        if try isTrue() { return }
        Thread.pause(milliseconds: 20)
    }
    throw TCPSocket.Failure(description: "not in time: \(what)")
}
