import Foundation
import JSON
import TestSupport
import Testing

/// Webhooks and dead letters from an operator's view: the built program, a receiver, and `kill -9`.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct WebhookCommandTests {
    let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }
    private static let serve = ["--listen", "127.0.0.1:0", "--webhook-allow", "127.0.0.0/8"]

    private func run(_ arguments: [String]) throws -> ServerProcess.Ended { try ServerProcess.run(arguments) }

    private func there(_ server: ServerProcess) -> [String] {
        ["--server", "http://127.0.0.1:\(server.port)", "--data", data]
    }

    private func put(trigger name: String, calling hook: WebServer, _ server: ServerProcess) throws {
        let row: JSONValue = [
            "name": .string(name), "event": "write", "path": .string("\(name)s/{id}"), "audience": "everyone",
            "title": "T", "webhook": .string("http://127.0.0.1:\(hook.port)/\(name)"),
        ]
        let file = folder.path + "/\(name).json"
        try Data(row.bytes).write(to: URL(fileURLWithPath: file))
        let ended = try run(["trigger", "put", file] + there(server))
        guard ended.status == 0 else { throw TCPSocket.Failure(description: ended.errors) }
    }

    private func wait(_ what: String, _ holds: () throws -> Bool) throws {
        for _ in 0..<100 {
            if try holds() { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw TCPSocket.Failure(description: "waited in vain for \(what)")
    }

    @Test func `kill -9 with a webhook under way loses none: the next server sends it again`() throws {
        let hook = try WebServer { _ in
            var answer = WebServer.Answer()
            answer.delayMilliseconds = 1_000
            return answer
        }
        defer { hook.stop() }
        let server = try ServerProcess(data: data, arguments: Self.serve)
        try put(trigger: "item", calling: hook, server)
        #expect(try run(["put", "items/1", "{}"] + there(server)).status == 0)
        try wait("the first attempt") { hook.requests.count == 1 }
        server.signal(SIGKILL)
        _ = server.wait()
        hook.setAnswer { _ in WebServer.Answer() }
        let next = try ServerProcess(data: data, arguments: Self.serve)
        try wait("the second attempt") { hook.requests.count == 2 }
        #expect(Set(hook.requests.compactMap { $0.headers["webhook-id"] }).count == 1)
        try wait("the result") {
            try run(["webhooks", "deliveries", "--state", "delivered"] + there(next)).output.contains("items/1")
        }
        #expect(try run(["webhooks"] + there(next)).output.contains("/item"))
    }

    @Test func `the command line shows what gave up, tries it again and forgets it`() throws {
        let hook = try WebServer { request in WebServer.Answer(status: request.target == "/gone" ? 410 : 200) }
        defer { hook.stop() }
        let server = try ServerProcess(data: data, arguments: Self.serve)
        let there = there(server)
        #expect(try run(["dead", "list"] + there).errors.contains("no dead letters"))
        try put(trigger: "gone", calling: hook, server)
        for id in 1...3 { #expect(try run(["put", "gones/\(id)", "{}"] + there).status == 0) }
        try wait("three letters") { try run(["dead"] + there).output.components(separatedBy: "webhook ").count == 4 }
        #expect(try run(["webhooks", "list"] + there).output.contains("disabled"))
        #expect(try run(["dead", "delete", "1"] + there).output == "1 letter deleted\n")
        #expect(try run(["dead", "delete", "1"] + there).status == 1)
        hook.setAnswer { _ in WebServer.Answer() }
        #expect(try run(["webhooks", "enable", "1"] + there).output == "webhook 1 is enabled\n")
        let retried = try run(["dead", "retry", "--all", "--trigger", "gone"] + there)
        #expect(retried.output == "2 letters tried again\n", "\(retried.errors)")
        try wait("delivery") {
            try run(["webhooks", "deliveries", "--json"] + there).output
                .components(separatedBy: #""state":"delivered""#).count == 3
        }
        let replayed = try run(["webhooks", "replay", "--trigger", "gone", "--since", "2020-01-01"] + there)
        #expect(replayed.output == "2 webhooks are sent again\n", "\(replayed.errors)")
        for wrong in [["dead", "retry"], ["dead", "retry", "1", "--all"], ["webhooks", "replay"]] {
            #expect(try run(wrong + there).status == 2)
        }
    }

    @Test func `the secret of webhooks is shown, exchanged and retired`() throws {
        #expect(try run(["webhooks", "secret", "--data", data]).status == 1)
        let server = try ServerProcess(data: data)
        let first = try run(["webhooks", "secret", "--data", data])
        #expect(first.output.hasPrefix("whsec_") && first.output.split(separator: "\n").count == 1)
        let both = try run(["webhooks", "secret", "--rotate", "--data", data]).output
        #expect(both.split(separator: "\n").count == 2)
        #expect(both.hasSuffix(first.output))
        let retired = try run(["webhooks", "secret", "--retire", "--data", data, "--json"]).output
        #expect(try JSONValue(parsing: Array(retired.utf8))["secrets"]?.arrayValue?.count == 1)
        #expect(!retired.contains(first.output.trimmingCharacters(in: .newlines)))
        #expect(try run(["webhooks", "secret", "--retire", "--rotate", "--data", data]).status == 2)
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }
}
