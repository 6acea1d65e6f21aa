package import JSON
package import Model

/// The `level` column of a row: one word, or one expression for each level; then the highest level whose expression is
/// true counts.
///
/// - Confinement: any
package enum LevelColumn: Sendable, Hashable {
    case one(InterruptionLevel)
    /// The highest level first; `otherwise` when none is true.
    case byDocument([Entry], otherwise: InterruptionLevel)

    /// A level and the SQLite expression that asks for it.
    package struct Entry: Sendable, Hashable {
        package let level: InterruptionLevel
        package let expression: String
    }

    private static let words = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")

    /// Reads the column.
    ///
    /// - Throws: ``TriggerProblem`` naming `level`, or the member in it.
    package init(json: JSONValue) throws(TriggerProblem) {
        guard let object = json.objectValue else {
            guard json.stringValue != nil else {
                throw TriggerProblem(field: "level", message: "must be a level, or an object of expressions by level")
            }
            self = .one(try Self.level(json, "level"))
            return
        }
        var otherwise: InterruptionLevel?
        var entries: [Entry] = []
        for (name, value) in object.members {
            if name == "else" {
                otherwise = try Self.level(value, "level.else")
                continue
            }
            guard let level = InterruptionLevel(rawValue: name) else {
                throw TriggerProblem(field: "level.\(name)", message: "is not one of \(Self.words), else")
            }
            guard let expression = try TriggerRow.expression(value, field: "level.\(name)") else {
                throw TriggerProblem(field: "level.\(name)", message: "must be an expression")
            }
            entries.append(Entry(level: level, expression: expression))
        }
        guard !entries.isEmpty else {
            throw TriggerProblem(field: "level", message: "must have at least one level with its expression")
        }
        self = .byDocument(entries.sorted { $0.level > $1.level }, otherwise: otherwise ?? .active)
    }

    private static func level(_ json: JSONValue, _ field: String) throws(TriggerProblem) -> InterruptionLevel {
        guard let text = json.stringValue, let level = InterruptionLevel(rawValue: text) else {
            let written = json.stringValue.map { "'\($0.prefix(80))' is not one of" } ?? "must be one of"
            throw TriggerProblem(field: field, message: "\(written) \(words)")
        }
        return level
    }

    /// The column, the highest level first.
    package var json: JSONValue {
        switch self {
        case .one(let level): return .string(level.rawValue)
        case .byDocument(let entries, let otherwise):
            var object = JSONObject(entries.map { (name: $0.level.rawValue, value: .string($0.expression)) })
            object["else"] = .string(otherwise.rawValue)
            return .object(object)
        }
    }
}
