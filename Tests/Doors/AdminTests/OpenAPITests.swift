import Authentication
import JSON
import Testing

@testable import Admin

/// The OpenAPI document and the table of routes say the same.
struct OpenAPITests {
    @Test func `a route without a scope stands in the document with the token that it asks for`() throws {
        let document = try JSONValue(parsing: OpenAPI.bytes, depthMax: 64)
        for route in RouteTable.open where route.form != nil {
            let operation = document["paths"]?[route.path]?[route.method.lowercased()]
            #expect(operation?["operationId"] == .string(route.action), "\(route.path)")
            let security: JSONValue =
                switch route.bearer {
                case .nobody: []
                case .user: [["bearer": []]]
                case .userOrNobody: [[:], ["bearer": []]]
                }
            #expect(operation?["security"] == security, "\(route.path)")
        }
        let names = RouteTable.all.map(\.action) + RouteTable.open.map(\.action)
        #expect(Set(names).count == names.count)
    }

    @Test func `each path, method and scope of the table stands in the document`() throws {
        let document = try JSONValue(parsing: OpenAPI.bytes, depthMax: 64)
        #expect(document["openapi"] == "3.1.0")
        for route in RouteTable.all {
            let path = OpenAPI.path(of: route)
            let operation = document["paths"]?[path]?[route.method.lowercased()]
            #expect(operation?["operationId"] == .string(route.action), "\(route.method) \(path)")
            #expect(operation?["x-scope"] == .string(route.scope.rawValue), "\(route.method) \(path)")
            #expect(operation?["responses"]?["default"] != nil)
        }
    }

    @Test func `an operation that takes a body says which fields it has`() throws {
        let document = try JSONValue(parsing: OpenAPI.bytes, depthMax: 64)
        func schema(_ path: String) -> JSONValue? {
            document["paths"]?[path]?["post"]?["requestBody"]?["content"]?["application/json"]?["schema"]
        }
        #expect(schema("/v1/triggers/{name}/test")?["required"] == ["path"])
        let schema = schema("/v1/broadcasts")
        // One of several members names the people.
        #expect(schema?["required"] == nil)
        let collapse = schema?["properties"]?["collapse"]?["anyOf"]?.arrayValue?.first
        #expect(collapse == ["type": "string", "minLength": 1, "maxLength": 200])
        #expect(schema?["additionalProperties"] == false)
    }

    @Test func `every answer has an exact form; only the data of documents are open`() throws {
        let document = try JSONValue(parsing: OpenAPI.bytes, depthMax: 64)
        for (path, item) in document["paths"]?.objectValue?.members ?? [] {
            for (method, operation) in item.objectValue?.members ?? [] where !path.hasSuffix("api.json") {
                for (status, answer) in operation["responses"]?.objectValue?.members ?? [] {
                    let schema = answer["content"]?["application/json"]?["schema"] ?? true
                    let open = Self.openPlaces(schema, at: "answer")
                    #expect(open.isEmpty, "\(method) \(path) \(status): \(open)")
                }
            }
        }
    }

    /// Members whose value is the content of a document, which people and programs write.
    private static let content = ["data", "before", "after", "profile"]

    /// The places of a schema where anything may stand.
    private static func openPlaces(_ schema: JSONValue, at place: String) -> [String] {
        let isObject = schema["type"] == "object" && schema["additionalProperties"] == nil
        var found = isObject || schema == [:] ? [place] : []
        found += (schema["anyOf"]?.arrayValue ?? []).flatMap { openPlaces($0, at: place) }
        for inner in [schema["items"], schema["additionalProperties"]].compactMap(\.self) where inner.objectValue != nil
        {
            found += openPlaces(inner, at: place + "[]")
        }
        for (name, member) in schema["properties"]?.objectValue?.members ?? [] where !content.contains(name) {
            found += openPlaces(member, at: "\(place).\(name)")
        }
        return found
    }
}
