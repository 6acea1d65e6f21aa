package import JSON

/// An entry as a store keeps it, and as `Tests/SessionVectors` writes it.
extension WriteEntry {
    /// Reads an entry; nil when a member is missing or wrong.
    package init?(_ value: JSONValue) {
        guard let key = value["key"]?.stringValue, let command = value["command"]?.objectValue,
            let lane = value["lane"]?.stringValue, let state = value["state"]?.stringValue.flatMap(State.init)
        else { return nil }
        var error = value["error"]
        if error?.isNull == true { error = .none }
        let base = Version(value["base"]).map { made in
            Origin(
                made, isResult: value["base"]?["isResult"]?.boolValue ?? false,
                result: Version(value["base"]?["result"]))
        }
        self.init(
            key: key, order: value["order"]?.integerValue, command: command, lane: lane, state: state,
            firstSent: value["firstSent"]?.integerValue, attempts: Int(value["attempts"]?.integerValue ?? 0),
            error: error, base: base,
            isChained: value["isChained"]?.boolValue ?? false)
    }

    /// All its members.
    package var json: JSONObject {
        [
            "key": .string(key), "order": order.map { .integer($0) } ?? .null, "command": .object(command),
            "lane": .string(lane), "state": .string(state.rawValue),
            "firstSent": firstSent.map { .integer($0) } ?? .null, "attempts": .integer(Int64(attempts)),
            "error": error ?? .null, "base": base?.json ?? .null, "isChained": .bool(isChained),
        ]
    }
}

extension WriteEntry.Version {
    /// Reads a version; nil when there is none.
    package init?(_ value: JSONValue?) {
        guard let value, let version = value["version"]?.integerValue else { return nil }
        self.init(version: version, data: value["data"] ?? .null)
    }

    /// Its members.
    package var json: JSONValue { ["version": .integer(version), "data": data] }
}

extension WriteEntry.Origin {
    /// Its members.
    package var json: JSONValue {
        var value = made.json
        if isResult { value["isResult"] = true }
        if let result {
            var json = result.json
            json["isResult"] = true
            value["result"] = json
        }
        return value
    }
}
