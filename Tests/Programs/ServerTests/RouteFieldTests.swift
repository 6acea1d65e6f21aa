import Authentication
import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

@testable import Admin

/// Every parameter and every member of the body of every route, wrong in every way in which its schema in `/v1/openapi.json` can
/// be broken, over a real connection: the refusal names the field, and nothing is written.
struct RouteFieldTests {
    /// Values where one that only fits the form is refused for another reason, before the wrong field is looked at.
    private static let bodies: [String: JSONValue] = [
        "trigger.put": [
            "event": "create", "path": "products/{product}", "condition": "1", "audience": "everyone", "title": "T",
        ],
        "trigger.test": ["path": "products/1", "after": ["a": 1], "user": "alice", "limit": 1],
        "feed.test": ["kind": "rss", "url": "https://feeds.example.org/films"],
    ]
    private static let parameters = ["report.decide id": "r1", "report.read id": "r1"]
    /// Without a path, explain answers with pending alone.
    private static let given: Set = ["explain.get path"]
    /// Routes that are not for administrators alone, and have fields.
    private static let open: Set = ["events.get", "ready.get"]

    /// The operations with fields of their own; a command's fields are tested as a command's.
    private static func operations(_ isWanted: (String) -> Bool) -> [ServedForms.Operation] {
        let names = Set(RouteTable.all.map(\.action)).union(open)
        return ServedForms.operations.filter { names.contains($0.name) && isWanted($0.name) }
    }

    /// The target of a request, with one parameter as it is given here, or without it.
    private func target(_ operation: ServedForms.Operation, _ name: String = "", _ value: String? = nil) -> String {
        var path = operation.path
        var query: [String] = []
        for parameter in operation.parameters {
            let right = parameter.schema.sample()
            let isGiven = parameter.name == name
            let key = "\(operation.name) \(parameter.name)"
            let text = isGiven ? value : Self.parameters[key] ?? right.stringValue ?? right.text
            let encoded = text?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            if parameter.place == "path" {
                path = path.replacing("{\(parameter.name)}", with: encoded ?? "")
            } else if parameter.place == "query", isGiven || parameter.isRequired || Self.given.contains(key),
                let encoded
            {
                query.append("\(parameter.name)=\(encoded)")
            }
        }
        return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    private struct Wrong {
        let what: String
        let field: String
        let target: String
        var body: JSONValue?
        var text: String?
        var headers: [(String, String)] = []
    }

    private func wrongs(_ operation: ServedForms.Operation) -> [Wrong] {
        let right = Self.bodies[operation.name] ?? operation.body?.sample()
        let text = operation.takesText ? "A text" : nil
        var found = operation.parameters.flatMap { wrongs($0, of: operation, right, text) }
        guard let schema = operation.body else { return found }
        for form in schema.forms ?? [schema] {
            for (path, misfit) in form.misfits() where path != "" && !schema.admits(misfit) {
                // One wrong member in a body that is right otherwise.
                var value = Self.bodies[operation.name] ?? misfit
                if !path.contains(".") { value[path] = misfit[path] } else { value = misfit }
                found.append(
                    Wrong(
                        what: "\(path) of \(value.text.prefix(200))", field: path, target: target(operation),
                        body: value))
            }
        }
        return found
            + ["nonsense", "[]", "5", #"{"a":1"#, #"{"a":1,"a":2}"#].map { (text: String) in
                Wrong(what: "the body \(text)", field: "", target: target(operation), text: text)
            }
    }

    /// Every wrong value of a parameter. A number in a query is a text.
    private func wrongs(
        _ parameter: ServedForms.Operation.Parameter, of operation: ServedForms.Operation, _ body: JSONValue?,
        _ text: String?
    ) -> [Wrong] {
        let values = parameter.schema.misfits().map(\.value).compactMap { value -> String? in
            // U+0000 in a target is refused with the whole target.
            guard value.stringValue?.contains("\u{0}") != true else { return nil }
            guard value.stringValue != nil || value.integerValue != nil || value.numberValue != nil else { return nil }
            return value.stringValue ?? value.text
        }.filter { text in
            let number = Int64(text).map { JSONValue.integer($0) } ?? .string(text)
            return !parameter.schema.admits(number) && !parameter.schema.admits(.string(text))
        }
        var found: [Wrong] = []
        // Many clients change parts of a path that have dots, so the document names fewer than the server takes.
        if parameter.place == "path", operation.name.hasPrefix("document.") { return [] }
        for value in Set(values).sorted() where parameter.place != "path" || !value.isEmpty {
            let what = "\(parameter.place) \(parameter.name)=" + value.debugDescription.prefix(60)
            guard parameter.place == "header" else {
                let target = target(operation, parameter.name, value)
                // A target of this length is refused as a whole.
                guard target.utf8.count < 8000 else { continue }
                found.append(Wrong(what: what, field: parameter.name, target: target, body: body, text: text))
                continue
            }
            // A field of a head has visible characters, without white space around them.
            let isLine = value.utf8.allSatisfy { (0x20...0x7e).contains($0) } && value.first != " " && value.last != " "
            guard isLine, (1..<4000).contains(value.utf8.count) else { continue }
            found.append(
                Wrong(
                    what: what, field: parameter.name, target: target(operation), body: body, text: text,
                    headers: [(parameter.name, value)]))
        }
        if parameter.place == "query", parameter.isRequired {
            found.append(
                Wrong(
                    what: "without \(parameter.name)", field: parameter.name,
                    target: target(operation, parameter.name, nil), body: body, text: text))
        }
        return found
    }

    @Test func `each wrong field of each route is refused by its name`() throws {
        let server = try TestServer { $0.push.contact = "mailto:a@example.org" }
        defer { server.application.stop() }
        _ = try server.device("bob")
        try server.device("alice").ok(["type": "report", "user": "bob"])
        try refuses(Self.operations { _ in true }, on: server, atLeast: 1500)
    }

    /// Asks with each wrong value of each field, and expects the refusal.
    private func refuses(_ operations: [ServedForms.Operation], on server: TestServer, atLeast: Int) throws {
        // Of the routes some are an operator's and some a user's.
        func connect() throws -> Admin {
            let token = try server.token("operator", isAdmin: true, scopes: [Claims.userScope])
            return Admin(try HTTPPeer(port: server.port), token: token)
        }
        var admin = try connect()
        let before = try admin.head()
        var wrong: [String] = []
        var asked = 0
        for operation in operations {
            for request in wrongs(operation) {
                guard
                    let answer = try? admin.call(
                        operation.method, request.target, request.body, text: request.text, headers: request.headers)
                else {
                    wrong.append("\(operation.name) \(request.what): no answer")
                    admin = try connect()
                    continue
                }
                if answer.headers["connection"] == "close" { admin = try connect() }
                asked += 1
                let problem = try? answer.json()
                let field = problem?["field"]?.stringValue?.replacing("[", with: ".").replacing("]", with: "") ?? ""
                // Of a body with several forms, the field at fault may be the one that decides which of them it has.
                let deciding = (operation.body?.forms ?? []).flatMap(\.required)
                let isNamed =
                    (field + ".").hasPrefix(request.field + ".") || (request.field + ".").hasPrefix(field + ".")
                    || deciding.contains(field)
                // A name in a path that cannot be there is not there.
                let isRight =
                    answer.status == 400 && problem?["code"] == "bad-request" && (isNamed || request.field.isEmpty)
                    || request.what.hasPrefix("path ") && [400, 404].contains(answer.status)
                guard !isRight else { continue }
                wrong.append("\(operation.name) \(request.what): \(answer.status) \(answer.text.prefix(250))")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) of \(asked):\n\(wrong.prefix(100).joined(separator: "\n"))")
        #expect(asked > atLeast)
        #expect(try admin.head() == before, "\(wrong.count)")
    }
}
