import Authentication
import ClientProtocol
import JSON
import Model

/// The OpenAPI 3.1 document of the HTTP API: made from the table of routes, so what is not in it is not served.
///
/// - Confinement: any
package enum OpenAPI {
    /// The document, the same for everybody.
    package static let bytes = JSONValue.object(document).bytes

    private static let document: JSONObject = [
        "openapi": "3.1.0",
        "info": [
            "title": "WatchWise", "version": "1",
            "description": "Notifications, chat and documents in real time. Errors are problem documents (RFC 9457).",
            "license": ["name": "Apache License 2.0", "identifier": "Apache-2.0"],
        ],
        "servers": [["url": "/"]],
        "security": [["bearer": []]],
        "paths": .object(paths),
        "components": [
            "securitySchemes": [
                "bearer": [
                    "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                    "description": "A token with the scope that the operation names; admin opens all.",
                ]
            ],
            "schemas": ["Problem": .object(problem.schema)],
            "responses": ["Problem": .object(problemAnswer("The request was refused; code and class say why."))],
            "headers": ["RequestID": ["description": "The id of the request.", "schema": ["type": "string"]]],
        ],
    ]

    private static let problem = ValueForm.object(
        [
            .need("type", .sentence), .need("title", .sentence), .need("status", .integer(400...599)),
            .need("detail", .sentence), .need("code", .words(ErrorCode.allCases.map(\.rawValue))),
            .need("class", .words(ErrorClass.allCases.map(\.rawValue))), .need("message", .sentence),
            .may("field", .sentence), .may("retryAfterMs", .count), .may("request", .sentence),
            .may("version", .count, "In a conflict: what is there."),
            .may("data", .either([.data, .null]), "In a conflict: what is there."),
        ])

    private static func problemAnswer(_ description: String) -> JSONObject {
        [
            "description": .string(description),
            "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
        ]
    }

    // MARK: Paths

    private static var paths: JSONObject {
        var paths = JSONObject()
        for route in RouteTable.all {
            let path = path(of: route)
            let security = route.open == nil ? Self.bearer : bearerOrNone
            let operation = operation(
                route.form, route.action, route.method, names: names(in: path), scope: route.scope, security)
            add(operation, route.method, at: path, to: &paths)
        }
        for route in RouteTable.open {
            guard let form = route.form else { continue }
            let security: JSONValue =
                switch route.bearer {
                case .nobody: []
                case .user: bearer
                case .userOrNobody: bearerOrNone
                }
            let operation = operation(form, route.action, route.method, names: [], scope: nil, security)
            add(operation, route.method, at: route.path, to: &paths)
        }
        return paths
    }

    /// The path as the document has it: there, a name stands for one segment.
    static func path(of route: AdminRoute) -> String {
        "/v1/" + route.template.replacing("{path…}", with: "{collection}/{id}").replacing("…", with: "")
    }

    private static func add(_ operation: JSONObject, _ method: String, at path: String, to paths: inout JSONObject) {
        var item = paths[path]?.objectValue ?? JSONObject()
        item[method.lowercased()] = .object(operation)
        paths[path] = .object(item)
    }

    /// The names in a path, without braces.
    private static func names(in path: String) -> [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    private static let bearer: JSONValue = [["bearer": []]]
    private static let bearerOrNone: JSONValue = [[:], ["bearer": []]]

    private static func operation(
        _ form: RouteForm, _ action: String, _ method: String, names: [String], scope: Scope?, _ security: JSONValue
    ) -> JSONObject {
        var operation: JSONObject = [
            "operationId": .string(action), "summary": .string(form.summary),
            "tags": [.string(String(action.prefix { $0 != "." }))],
        ]
        operation["description"] = scope.map { .string("Scope: \($0.rawValue).") }
        operation["security"] = security
        operation["x-scope"] = scope.map { .string($0.rawValue) }
        var parameters = names.map { Self.name($0, in: action).parameter(in: "path") }
        parameters += form.query.map { $0.parameter(in: "query") }
        // A command has its key among its fields.
        let isWrite = scope != nil && ["POST", "PUT", "PATCH"].contains(method)
        let key = ValueForm.Member.may("Idempotency-Key", .key, "A repetition with the same key gets the first answer.")
        let isRead = scope != nil && method == "GET"
        let fields =
            form.head + (isWrite ? [key] : []) + (isRead ? [readAfter] : []) + (form.isGuarded ? guards : [])
        parameters += fields.map { $0.parameter(in: "header") }
        if !parameters.isEmpty { operation["parameters"] = .array(parameters.map { .object($0) }) }
        operation["requestBody"] = body(form.body).map { .object($0) }
        operation["responses"] = .object(responses(form, isWrite: scope != nil && method != "GET"))
        return operation
    }

    private static let readAfter = ValueForm.Member.may(
        HTTPCall.readAfterField, .text(1...80, pattern: #"^([!-~]{1,64}\.)?[0-9]{1,15}$"#),
        "This field of the answer to a write, or its seq: the answer shows that write, whichever node gives it.")
    private static let guards: [ValueForm.Member] = [
        .may("If-Match", .text(3...21, pattern: #"^"[1-9][0-9]{0,17}"$"#), "The ETag that the document must have."),
        .may("If-None-Match", .words(["*"]), "There must be no document."),
    ]

    /// The form of a name in a path.
    private static func name(_ name: String, in action: String) -> ValueForm.Member {
        switch name {
        case "user": return .need(name, .user)
        case "chat": return .need(name, .chat)
        case "topic": return .need(name, .text(3...233, pattern: #"^[a-z]{1,32}:(?!\.{1,2}$)[A-Za-z0-9_.@-]{1,200}$"#))
        case "room": return .need(name, .text(1...64, pattern: "^[A-Za-z0-9_-]+$"))
        case "name": return .need(name, .text(1...64, pattern: "^[a-z0-9-]+$"))
        case "collection": return .need(name, segment, "Further pairs of collection and id may follow the id.")
        case "id" where action.hasPrefix("document."): return .need(name, segment)
        case "id" where ["notification.explain", "report.read", "report.decide"].contains(action):
            return .need(name, .id)
        case "id": return .need(name, .number)
        default: return .need(name, .id)
        }
    }

    private static let segment = ValueForm.text(1...64, pattern: "^[A-Za-z0-9_@-]+$")

    private static func body(_ body: RouteForm.Body) -> JSONObject? {
        switch body {
        case .none: nil
        case .json(let form):
            ["required": true, "content": ["application/json": ["schema": .object(form.schema)]]]
        case .maybe(let members):
            ["content": ["application/json": ["schema": .object(ValueForm.object(members).schema)]]]
        case .text:
            [
                "required": true,
                "content": ["text/plain": ["schema": ["type": "string", "minLength": 1, "maxLength": 1000]]],
            ]
        }
    }

    private static func responses(_ form: RouteForm, isWrite: Bool) -> JSONObject {
        var headers: JSONObject = ["X-Request-Id": ["$ref": "#/components/headers/RequestID"]]
        if form.hasVersion {
            headers["ETag"] = ["description": "The version of the document.", "schema": ["type": "string"]]
        }
        if isWrite {
            headers[HTTPCall.readAfterField] = [
                "description": "On a cluster: where the write stands, for the same field of a later read.",
                "schema": ["type": "string"],
            ]
        }
        var done: JSONObject = ["description": "Done.", "headers": .object(headers)]
        switch form.answer {
        case .json(let form): done["content"] = ["application/json": ["schema": .object(form.schema)]]
        case .other(let type, let second):
            var types: JSONObject = [type: ["schema": [:]]]
            if let second { types[second] = ["schema": [:]] }
            done["content"] = .object(types)
        case .none: break
        }
        if !form.links.isEmpty {
            var links = JSONObject()
            for link in form.links {
                links[link.action] = [
                    "operationId": .string(link.action),
                    "parameters": .object([link.parameter: .string("$response.body#/\(link.member)")]),
                ]
            }
            done["links"] = .object(links)
        }
        var responses: JSONObject = [String(form.status): .object(done)]
        for (status, members) in form.others.sorted(by: { $0.key < $1.key }) {
            let schema = ValueForm.object(members).schema
            done["content"] = ["application/json": ["schema": .object(schema)]]
            responses[String(status)] = .object(done)
        }
        if form.hasVersion, !form.isGuarded {
            responses["304"] = [
                "description": "The copy of If-None-Match is still the same.", "headers": .object(headers),
            ]
        }
        responses["default"] = ["$ref": "#/components/responses/Problem"]
        return responses
    }
}
