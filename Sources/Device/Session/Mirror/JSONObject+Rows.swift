package import JSON

/// Members of rows and commands.
extension JSONObject {
    /// This object with some members set.
    package func with(_ members: JSONObject) -> JSONObject {
        var object = self
        for (name, value) in members.members { object[name] = value }
        return object
    }

    /// This object without some members.
    func without(_ names: String...) -> JSONObject {
        var object = self
        for name in names { object[name] = nil }
        return object
    }

    /// A whole number; 0 when there is none.
    package func integer(_ name: String) -> Int64 { self[name]?.integerValue ?? 0 }
    /// Whether a member is true.
    package func isTrue(_ name: String) -> Bool { self[name]?.boolValue ?? false }
}
