import ClientProtocol
import JSON
import Model
import Services
import Triggers

/// The body of `POST /v1/documents`: `{"writes": [{"op", "path", "data"?, "ifVersion"?}, …]}`.
///
/// - Confinement: any
struct BatchBody {
    let writes: [DocumentWrite]

    /// - Throws: `Refusal` naming the field.
    init(_ body: JSONObject) throws(Refusal) {
        try body.allow(["writes"])
        guard let list = body["writes"]?.arrayValue, (1...DocumentLimits.batchMax).contains(list.count) else {
            throw Refusal.badRequest(field: "writes", "must be a list of 1 to \(DocumentLimits.batchMax) writes")
        }
        var writes: [DocumentWrite] = []
        for (index, item) in list.enumerated() {
            writes.append(try Self.write(item, field: "writes[\(index)]"))
        }
        self.writes = writes
    }

    private static func write(_ item: JSONValue, field: String) throws(Refusal) -> DocumentWrite {
        let members = ["op", "path", "ifVersion"] + (item["op"] == "delete" ? [] : ["data"])
        for (name, value) in item.objectValue?.members ?? [] where !members.contains(name) && !value.isNull {
            throw Refusal.badRequest(
                field: "\(field).\(name.prefix(64))", "is not known; known are: \(members.joined(separator: ", "))")
        }
        guard let text = item["path"]?.stringValue else {
            throw Refusal.badRequest(field: "\(field).path", "is required")
        }
        let path = try DocumentPath(text, field: "\(field).path")
        var ifVersion: Int64?
        if let wanted = item["ifVersion"] {
            guard let version = wanted.integerValue, version >= 0 else {
                throw Refusal.badRequest(
                    field: "\(field).ifVersion",
                    "must be the number of a version, or 0 for no document")
            }
            ifVersion = version
        }
        return DocumentWrite(path: path, operation: try operation(item, field: field), ifVersion: ifVersion)
    }

    private static func operation(_ item: JSONValue, field: String) throws(Refusal) -> DocumentWrite.Operation {
        let operation = item["op"]?.stringValue
        if operation == "delete" { return .delete }
        guard operation == "put" || operation == "patch" else {
            throw Refusal.badRequest(field: "\(field).op", "must be put, patch or delete")
        }
        guard let data = item["data"]?.objectValue else {
            throw Refusal.badRequest(field: "\(field).data", "must be an object")
        }
        return operation == "put" ? .put(data) : .patch(data)
    }
}
