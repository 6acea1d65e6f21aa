import ClientProtocol
import Admin
import JSON
import TestSupport
import Testing

/// The documents AsyncAPI and OpenAPI, against which every message and every answer is held that a test of this folder reads.
/// - Confinement: any
enum ServedForms {
    /// The schemas of messages: `command.send`, `reply.send`, `event.message`.
    static let messages: [String: JSONSchema] = {
        let document = (try? JSONValue(parsing: AsyncAPI.bytes, depthMax: 64)) ?? .null
        let messages = document["components"]?["messages"]?.objectValue?.members ?? []
        return Dictionary(
            uniqueKeysWithValues: messages.map { ($0.name, JSONSchema($0.value["payload"] ?? .null, in: document)) })
    }()

    /// The routes of the HTTP API.
    static let operations: [Operation] = {
        let document = (try? JSONValue(parsing: OpenAPI.bytes, depthMax: 64)) ?? .null
        return (document["paths"]?.objectValue?.members ?? []).flatMap { path, item in
            (item.objectValue?.members ?? []).map { Operation($0.name.uppercased(), path, $0.value, in: document) }
        }
    }()

    /// A route as the document describes it.
    /// - Confinement: any
    struct Operation: Sendable {
        let name: String
        let method: String
        let path: String
        let parameters: [Parameter]
        let body: JSONSchema?
        let takesText: Bool
        private let parts: [Substring]
        private let answers: [Int: JSONSchema]
        private let problem: JSONSchema

        /// - Confinement: any
        struct Parameter: Sendable {
            let name: String
            let place: String
            let isRequired: Bool
            let schema: JSONSchema
        }

        init(_ method: String, _ path: String, _ operation: JSONValue, in document: JSONValue) {
            name = operation["operationId"]?.stringValue ?? ""
            self.method = method
            self.path = path
            parts = path.split(separator: "/")
            parameters = (operation["parameters"]?.arrayValue ?? []).map {
                Parameter(
                    name: $0["name"]?.stringValue ?? "", place: $0["in"]?.stringValue ?? "",
                    isRequired: $0["required"] == true, schema: JSONSchema($0["schema"] ?? [:], in: document))
            }
            let content = operation["requestBody"]?["content"]
            body = content?["application/json"]?["schema"].map { JSONSchema($0, in: document) }
            takesText = content?["text/plain"] != nil
            var answers: [Int: JSONSchema] = [:]
            for (status, answer) in operation["responses"]?.objectValue?.members ?? [] {
                guard let status = Int(status), let schema = answer["content"]?["application/json"]?["schema"] else {
                    continue
                }
                answers[status] = JSONSchema(schema, in: document)
            }
            self.answers = answers
            problem = JSONSchema(["$ref": "#/components/schemas/Problem"], in: document)
        }

        /// Whether the path of a request is this one. A document's path may be longer than it stands in the document.
        func hasPath(_ path: some StringProtocol) -> Bool {
            let given = path.split(separator: "/")
            let isLong = name.hasPrefix("document.") && self.path.hasSuffix("{id}") || name == "topic.publish"
            guard given.count == parts.count || isLong && given.count > parts.count else { return false }
            return zip(given, parts).allSatisfy { $1.hasPrefix("{") || $0 == $1 }
        }

        func problem(with answer: HTTPPeer.Answer) -> String? {
            let isProblem = answer.headers["content-type"] == "application/problem+json"
            guard let schema = isProblem ? problem : answers[answer.status] else { return nil }
            guard let value = try? answer.json() else { return "it is no JSON" }
            return schema.problem(with: value)
        }
    }

    /// Records an issue when a message of the server does not fit its schema.
    /// - Parameter command: the name of the command that a reply answers; nil where that is not known.
    static func check(_ message: JSONValue, repliedTo command: String?) {
        let name = message["type"]?.stringValue.map { "event.\($0)" } ?? command.map { "reply.\($0)" }
        guard let name, let schema = messages[name] else { return }
        SeenRows.note(name, message["error"])
        if let problem = schema.problem(with: message) {
            Issue.record("\(name) does not fit its schema: \(problem): \(message.text.prefix(600))")
        }
    }

    /// Records an issue when an answer of the HTTP API does not fit its schema.
    static func check(_ answer: HTTPPeer.Answer, to method: String, _ target: String) {
        let path = target.prefix { $0 != "?" }
        guard let operation = operations.first(where: { $0.method == method && $0.hasPath(path) }) else { return }
        SeenRows.note("route.\(operation.name)", answer.status < 400 ? nil : try? answer.json())
        if let problem = operation.problem(with: answer) {
            Issue.record(
                "\(method) \(target): the answer \(answer.status) does not fit its schema: \(problem): \(answer.text.prefix(600))"
            )
        }
    }
}
