package import JSON
package import Model

/// The members of an object in the body of a request. Every refusal names the member.
extension JSONObject {
    /// - Throws: `Refusal` naming a member that is not one of these.
    package func allow(_ known: [String]) throws(Refusal) {
        for (name, _) in members where !known.contains(name) {
            throw Refusal.badRequest(field: name, "is not known; known are: \(known.joined(separator: ", "))")
        }
    }

    /// The truth value of a member; nil when it is absent.
    package func flag(_ name: String) throws(Refusal) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let flag = value.boolValue else { throw Refusal.badRequest(field: name, "must be true or false") }
        return flag
    }

    /// The time of a member; nil when it is absent or null.
    package func time(_ name: String) throws(Refusal) -> Timestamp? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let time = value.stringValue.flatMap(Timestamp.init) else {
            throw Refusal.badRequest(field: name, "must be a time such as 2026-11-21T10:00:00Z")
        }
        return time
    }
}

extension DocumentPath {
    /// The path in a field of a request over HTTP.
    ///
    /// - Throws: `Refusal` naming the field.
    package init(_ text: String, field: String) throws(Refusal) {
        do throws(Problem) {
            try self.init(text)
        } catch {
            throw Refusal(.badRequest, error.message, field: field)
        }
    }
}
