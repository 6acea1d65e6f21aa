import Foundation
import JSON
import TestSupport
import Testing

/// The epoch over restarts of the program.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct RestoreTests {
    let folder = TemporaryFolder()

    private func follow(_ topic: String, on server: ServerProcess) throws -> (epoch: JSONValue, seq: Int64) {
        let chatter = try Chatter(port: server.port, token: ServerProcess.token("alice", data: folder.path))
        let ok = try chatter.ok(["type": "follow", "topic": .string(topic)])
        return (chatter.epoch, ok["seq"]?.integerValue ?? 0)
    }

    @Test func `kill -9 keeps the epoch, a copy that is put back begins another`() throws {
        var server = try ServerProcess(data: folder.path)
        let first = try follow("person:1", on: server)
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        let database = URL(fileURLWithPath: folder.path + "/watchwise.db")
        let copy = try Data(contentsOf: database)

        server = try ServerProcess(data: folder.path)
        let second = try follow("person:2", on: server)
        #expect(second.epoch == first.epoch)
        server.signal(SIGKILL)
        _ = server.wait()
        server = try ServerProcess(data: folder.path)
        let third = try follow("person:3", on: server)
        #expect(third.epoch == first.epoch)
        #expect(third.seq > second.seq)
        server.signal(SIGTERM)
        #expect(server.wait() == 0)

        let handle = try FileHandle(forWritingTo: database)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: copy)
        try handle.close()
        server = try ServerProcess(data: folder.path)
        let restored = try follow("person:4", on: server)
        #expect(restored.epoch != first.epoch)
        #expect(restored.seq <= third.seq, "positions went back")
        let point: JSONValue = ["epoch": first.epoch, "seq": .integer(first.seq)]
        let token = try ServerProcess.token("alice", data: folder.path)
        let returning = try Chatter(port: server.port, token: token, since: point)
        #expect(returning.messages.contains { $0["type"] == "reset" && $0["reason"] == "epoch" })
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }
}
