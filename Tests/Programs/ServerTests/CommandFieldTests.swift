import ClientProtocol
import Admin
import Foundation
import JSON
import TestSupport
import Testing

/// Every field of every command, wrong in every way in which its schema in `/v1/asyncapi.json` can be broken, over a real
/// connection: the refusal names the field, nothing is written, and the connection stays open.
struct CommandFieldTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    /// The schemas of commands, by the names of commands.
    private let schemas = CommandTable.types.compactMap { type in
        ServedForms.messages["command.\(type.name)"].map { (name: type.name, schema: $0) }
    }

    @Test func `the server serves the documents that these tests use`() throws {
        let peer = try HTTPPeer(port: server.port)
        #expect(try peer.request("GET", "/v1/asyncapi.json").body == AsyncAPI.bytes)
        #expect(try peer.request("GET", "/v1/openapi.json").body == OpenAPI.bytes)
        #expect(schemas.count == CommandTable.types.count)
    }

    /// Whether a refusal names a wrong part, or what it lies in. Of a command with several forms, the field at fault may be the
    /// one that decides which form it has.
    private func names(_ field: String?, _ path: String, among forms: [JSONSchema]) -> Bool {
        guard let field = field?.replacing("[", with: ".").replacing("]", with: "") else { return false }
        return (path + ".").hasPrefix(field + ".") || (field + ".").hasPrefix(path + ".")
            || forms.count > 1 && forms.contains { form in form.members.contains { $0.name == field } }
    }

    @Test func `each wrong field of each command is refused by its name`() throws {
        let device = try server.device(server.name("alice"))
        var wrong: [String] = []
        var counts: [String: Int] = [:]
        for (name, schema) in schemas {
            let forms = schema.forms ?? [schema]
            for form in forms {
                for (path, value) in form.misfits() where path != "" && path != "id" && path != "type" {
                    guard !schema.admits(value) else { continue }
                    let reply = try device.answer(to: value)
                    let error = reply["error"]
                    counts[name, default: 0] += 1
                    guard
                        error?["code"] != "bad-request" || error?["class"] != "permanent"
                            || !names(error?["field"]?.stringValue, path, among: forms)
                    else { continue }
                    wrong.append("\(path) of \(value.text.prefix(200)): \(reply.text.prefix(300))")
                }
            }
        }
        Thread.pause(milliseconds: 200)
        try device.settle()
        #expect(device.durable.isEmpty)
        #expect(wrong.isEmpty, "\(wrong.count):\n\(wrong.prefix(60).joined(separator: "\n"))")
        // Every command that has a field was asked.
        let without: Set = ["ping", "devices"]
        #expect(Set(counts.keys).union(without) == Set(CommandTable.types.map { $0.name }))
        #expect(counts.values.reduce(0, +) > 1000, "\(counts)")
    }

    @Test func `before a hello every command is unauthenticated, and a wrong one still names its field`() throws {
        let device = try server.connect()
        for (name, schema) in schemas where name != "hello" {
            let form = schema.forms?.first ?? schema
            let right = form.sample()
            try #require(schema.admits(right), "\(right.text)")
            #expect(try device.refused(right)["code"] == "unauthenticated", "\(right.text)")
            guard
                let (path, value) = form.misfits().last(where: { form.required.contains($0.path) && $0.path != "type" })
            else { continue }
            #expect(try device.refused(value)["code"] == "bad-request", "\(path) of \(value.text)")
        }
        #expect(try device.refused(["type": "dance"])["code"] == "unknown-command")
    }

    @Test func `a field that nobody knows changes nothing`() throws {
        let device = try server.device(server.name("alice"))
        for (name, schema) in schemas where !["hello", "device"].contains(name) {
            var right = (schema.forms?.first ?? schema).sample(isWhole: false)
            let plain = try device.reply(to: device.post(right))
            right["futureField"] = ["deep": [1, .null]]
            if right["key"] != nil { right["key"] = "k2" }
            let more = try device.reply(to: device.post(right))
            #expect(plain["error"]?["code"] == more["error"]?["code"], "\(right.text): \(plain.text) \(more.text)")
        }
    }
}
