import Foundation
import JSON
import TestSupport
import Testing

/// `watchwise listen`: a device in a terminal.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"),
    .timeLimit(.minutes(2)))
struct ListenTests {
    let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }
    private var cursor: String { folder.path + "/bob.cursor" }

    private func listen(
        _ server: ServerProcess, _ arguments: [String], input: String = ""
    ) throws -> ServerProcess.Ended {
        try ServerProcess.run(
            ["listen", "--server", "http://127.0.0.1:\(server.port)", "--data", data] + arguments, input: input)
    }

    @Test func `typed commands are answered, and another run gets what it missed, once`() throws {
        let server = try ServerProcess(
            data: data, arguments: ["--listen", "127.0.0.1:0", "--triggers", "film-network"])
        let bob = ["bob", "--device", "laptop", "--cursor", cursor]
        #expect(try listen(server, bob + ["--until-answered"], input: "ping\n").status == 0)

        let alice = try listen(
            server, ["alice", "--until-answered"],
            input: "follow topic=user:bob\nsend to=bob text=Seen it twice!\nread chat=alice:bob n=1\n")
        #expect(alice.status == 0, "\(alice.errors)")
        #expect(alice.output.contains("ok send  {\"chat\":\"alice:bob\",\"n\":1,"), "\(alice.output)")
        #expect(alice.output.contains("ok read"), "\(alice.output)")
        #expect(alice.errors.contains("alice on terminal"), "\(alice.errors)")

        let missed = try listen(server, bob + ["--json", "--count", "2"])
        #expect(missed.status == 0, "\(missed.errors)")
        let events = try missed.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(events.map { $0["type"] } == ["notification", "message"], "\(missed.output)")
        #expect(events.last?["text"] == "Seen it twice!", "\(missed.output)")

        let again = try listen(server, bob + ["--until-answered"], input: "ping\n")
        #expect(!again.output.contains("Seen it twice!"), "\(again.output)")
    }

    @Test func `an event that cannot be written ends the listener, and comes again at its next start`() throws {
        let server = try ServerProcess(data: data)
        let bob = ["bob", "--device", "laptop", "--cursor", cursor]
        #expect(try listen(server, bob + ["--until-answered"], input: "ping\n").status == 0)
        _ = try listen(server, ["alice", "--until-answered"], input: "follow topic=user:bob\nsend to=bob text=once\n")
        let full = try ServerProcess.run(
            ["listen", "--server", "http://127.0.0.1:\(server.port)", "--data", data] + bob, redirection: ">/dev/full")
        #expect(full.status == 1)
        #expect(
            full.errors.contains("standard output cannot be written: No space left on device"), "\(full.errors)")
        let again = try listen(server, bob + ["--json", "--count", "2"])
        #expect(again.output.contains(#""text":"once""#), "\(again.output)")
    }

    @Test func `a refusal and a mistake are printed, and give a status`() throws {
        let server = try ServerProcess(data: data)
        let refused = try listen(server, ["alice", "--until-answered"], input: "send to=bob\n")
        #expect(refused.status == 1)
        #expect(refused.output.contains("refused send  bad-request: text"), "\(refused.output)")
        let mistaken = try listen(server, ["alice", "--until-answered"], input: "sned to=bob text=x\nhelp send\n")
        #expect(mistaken.status == 2)
        #expect(mistaken.errors.contains("did you mean 'send'?"), "\(mistaken.errors)")
        #expect(mistaken.errors.contains("replyTo (optional): a number"), "\(mistaken.errors)")
    }

    @Test func `a wrong token, a wrong user and a wrong cursor are named`() throws {
        let server = try ServerProcess(data: data)
        let bob = try ServerProcess.token("bob", data: data)
        let other = try listen(server, ["alice", "--token", bob])
        #expect(other.status == 2 && other.errors.contains("the token is one of bob, not of alice"), "\(other.errors)")
        let forged = try listen(server, ["--token", "a.b.c"])
        #expect(forged.status == 1 && forged.errors.contains("unauthenticated"), "\(forged.errors)")
        let nobody = try listen(server, [])
        #expect(nobody.status == 2 && nobody.errors.contains("name the user"), "\(nobody.errors)")
        try Data("hello".utf8).write(to: URL(fileURLWithPath: cursor))
        let place = try listen(server, ["bob", "--cursor", cursor])
        #expect(place.status == 2 && place.errors.contains("is not a cursor"), "\(place.errors)")
    }

    @Test func `the listener comes back with the server, and shows the writes of the time between`() throws {
        let first = try ServerProcess(data: data)
        let address = "127.0.0.1:\(first.port)"
        // With a place in the log it does not matter when the process connects.
        _ = try listen(first, ["bob", "--cursor", cursor, "--until-answered"], input: "ping\n")
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(ServerProcess.binary))
        process.arguments = [
            "listen", "bob", "--server", "http://\(address)", "--data", data, "--json", "--count", "3",
            "--cursor", cursor,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.runStoppable()
        _ = try listen(first, ["alice", "--until-answered"], input: "follow topic=user:bob\nsend to=bob text=before\n")
        first.signal(SIGKILL)
        _ = first.wait()
        let second = try ServerProcess(data: data, arguments: ["--listen", address])
        _ = try listen(second, ["alice", "--until-answered"], input: "send to=bob text=after\n")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let texts = try text.split(separator: "\n").compactMap { line in
            try JSONValue(parsing: Array(line.utf8))["text"]?.stringValue
        }
        #expect(texts == ["before", "after"], "\(text)")
    }
}
