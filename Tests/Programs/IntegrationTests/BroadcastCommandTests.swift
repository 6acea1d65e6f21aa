import Console
import Foundation
import JSON
import TestSupport
import Testing

/// `watchwise broadcast`, run as an operator runs it.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct BroadcastCommandTests {
    let folder = TemporaryFolder()

    private func start() throws -> ServerProcess { try ServerProcess(data: folder.path) }

    private func run(_ server: ServerProcess, _ words: String...) throws -> ServerProcess.Ended {
        try ServerProcess.run(
            ["broadcast"] + words + ["--server", "http://127.0.0.1:\(server.port)", "--data", folder.path])
    }

    private func people(_ server: ServerProcess, _ languages: [(String, String?)]) throws -> [Chatter] {
        try languages.map { name, language in
            let chat = try Chatter(port: server.port, token: ServerProcess.token(name, data: folder.path))
            _ = try chat.ok(["type": "preferences", "set": ["locale": language.map { .string($0) } ?? .null]])
            return chat
        }
    }

    @Test func `a dry run draws each text with its readers, in lines of at most 80 columns, and sends nothing`() throws
    {
        let server = try start()
        let chats = try people(
            server, [("anna", "it"), ("bob", "en"), ("carla", "de"), ("dora", "ar"), ("emi", "ja"), ("frank", "hi")])
        let dry = try run(
            server, "--audience", "everyone", "Back at ten", "--title", "it=Torniamo alle dieci", "--title",
            "ja=10時に戻ります", "--title", "ar=نعود في العاشرة", "--title", "hi=दस बजे लौटेंगे", "--body",
            String(repeating: "We change a disk. ", count: 20), "--body", "it=Cambiamo un disco.", "--body",
            "ja=" + String(repeating: "ディスクを交換しています。", count: 9), "--body", "ar=نستبدل القرص الآن.", "--body",
            "hi=हम डिस्क बदल रहे हैं।", "--dry-run")
        #expect(dry.status == 0, "\(dry.errors)")
        let lines = dry.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.filter { $0.columns > 80 } == [])
        let boxes = lines.filter { $0.hasPrefix("│") || $0.hasPrefix("┌") || $0.hasPrefix("└") }
        #expect(Set(boxes.map(\.columns)) == [48])
        #expect(lines.count { $0.hasPrefix("┌") } == 5)
        for line in ["everyone: 6 people", "it: 1 reader", "ja: 1 reader", "Nothing was sent."] {
            #expect(lines.contains(line), "\(line) in \(dry.output)")
        }
        #expect(
            lines.contains("en: 1 reader, and 1 without a text in their language (de 1)"), "\(dry.output)")
        for chat in chats { #expect(try chat.ok(["type": "notifications"])["notifications"] == []) }
    }

    @Test func `a key makes a repetition harmless, and other content under it is refused`() throws {
        let server = try start()
        let chat = try #require(try people(server, [("anna", nil)]).first)
        for _ in 1...2 {
            let sent = try run(server, "--audience", "everyone", "Sale", "--kind", "offers", "--key", "k1", "--json")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try JSONValue(parsing: Array(sent.output.utf8))["id"] == "1")
        }
        let other = try run(server, "--audience", "everyone", "Sale", "--key", "k1")
        #expect(other.status == 1 && other.errors.contains("key-reused"))
        let span = try run(server, "--audience", "everyone", "Sale", "--expires", "24h", "--key", "k2")
        #expect(span.status == 2 && span.errors.contains("another time whenever the command runs"))
        let list = try chat.ok(["type": "notifications"])["notifications"]?.arrayValue
        #expect(list?.map { $0["kind"] } == ["offers"])
    }

    @Test func `critical to everyone is not sent by --yes alone`() throws {
        let server = try start()
        _ = try people(server, [("anna", nil)])
        let yes = try run(server, "--audience", "everyone", "Fire", "--level", "critical", "--yes")
        #expect(yes.status == 2 && yes.errors.contains("--critical-to-everyone"))
        let several = try run(
            server, "--audience", "everyone", "--except", "user:bob", "Fire", "--level", "critical", "--yes")
        #expect(several.status == 2)
        #expect(try run(server, "--audience", "user:anna", "Fire", "--level", "critical").status == 0)
        let named = try run(server, "--audience", "everyone", "Fire", "--level", "critical", "--critical-to-everyone")
        #expect(named.status == 0, "\(named.errors)")
    }

    @Test func `slips are refused with the way out`() throws {
        let server = try start()
        for (words, part) in [
            (["lst", "--audience", "everyone"], "broadcast list is"),
            (["--audience", "everyone", "Hi", "--title", "xx_YY=Hi"], "no language 'xx'"),
            (["--audience", "everyone", "Hi", "--body", "it=Ciao"], "no --title for it"),
            (["--audience", "everyone", "Hi", "--data", #"{"a":1}"#], "--attach"), (["Hi"], "--audience-file"),
            (["change", "1", "--except", "user:bob"], "goes with --audience"),
            (["change", "1"], "nothing is to be changed"),
        ] {
            let place = ["--server", "http://127.0.0.1:\(server.port)", "--data", folder.path]
            let ended = try ServerProcess.run(["broadcast"] + words + place)
            #expect(ended.status == 2 && ended.errors.contains(part), "\(words): \(ended.errors)")
        }
    }

    @Test func `several audiences, a file and exceptions reach each person once, and a waiting one is changed`() throws
    {
        let server = try start()
        let chats = try people(server, [("anna", nil), ("bob", nil), ("carla", nil)])
        for chat in chats.prefix(2) { _ = try chat.ok(["type": "follow", "topic": "person:1"]) }
        let file = folder.path + "/guests.txt"
        try "# guests\nbob\n\nuser:carla\nnobody\n".write(toFile: file, atomically: true, encoding: .utf8)
        let sent = try run(
            server, "--audience", "person:1", "--audience-file", file, "--except", "user:anna", "Tonight", "--at", "2h")
        #expect(sent.status == 0 && sent.errors.contains("1 user is not known to the server: nobody"), "\(sent.errors)")
        let changed = try run(server, "change", "1", "--title", "Tomorrow", "--at", "2s")
        #expect(changed.status == 0 && changed.output.contains("2 people"), "\(changed.errors) \(changed.output)")
        var titles: [JSONValue?] = []
        for _ in 1...60 where titles.isEmpty {
            Thread.pause(milliseconds: 200)
            titles = try chats[1].ok(["type": "notifications"])["notifications"]?.arrayValue?.map { $0["title"] } ?? []
        }
        #expect(titles == ["Tomorrow"])
        #expect(try chats[2].ok(["type": "notifications"])["unread"] == 1)
        #expect(try chats[0].ok(["type": "notifications"])["unread"] == 0)
        try "bob\nfra nk\n".write(toFile: file, atomically: true, encoding: .utf8)
        let bad = try run(server, "--audience-file", file, "Tonight")
        #expect(bad.status == 2 && bad.errors.contains("line 2: 'fra nk'"))
    }
}
