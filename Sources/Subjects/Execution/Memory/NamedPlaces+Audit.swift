import JSON
package import Model
import Store

extension NamedPlaces {
    /// The detail of a row of the audit. People stand in few of its members: `from` and `to` are places in the log there,
    /// and a reason is what an operator wrote.
    package func rewritten(detail text: String) throws(Failure) -> String {
        guard let detail = try? JSONValue(parsing: Array(text.utf8)).objectValue else { return text }
        var new = detail
        for member in detail.members {
            guard let value = member.value.stringValue else { continue }
            switch member.name {
            case "user": new[member.name] = .string(try rewritten(user: value))
            case "audience": new[member.name] = .string(try rewritten(audience: value))
            case "collection": new[member.name] = .string(try rewritten(collection: value))
            case "path": new[member.name] = .string(try rewritten(pattern: value))
            default: break
            }
        }
        return new == detail ? text : JSONValue.object(new).text
    }
}
