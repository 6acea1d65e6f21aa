import Foundation
import JSON

/// A run: where, when and with what it was made, and what came of it.
struct LoadReport: Sendable {
    var commit = Machine.commit
    var flags = CommandLine.arguments.dropFirst().joined(separator: " ")
    var machine = Machine.description
    var kernel = Machine.kernel
    var began = Date().formatted(.iso8601)
    var loadAverage = Machine.loadAverage
    var outcomes: [Outcome] = []

    var isGood: Bool { outcomes.allSatisfy(\.isGood) }

    var json: JSONValue {
        [
            "commit": .string(commit), "flags": .string(flags), "machine": .string(machine), "kernel": .string(kernel),
            "began": .string(began), "loadAverage": .number(loadAverage), "isGood": .bool(isGood),
            "outcomes": .array(outcomes.map(\.json)),
        ]
    }

    init() {}

    /// Reads what `--json` wrote.
    init(path: String) throws(LoadFailure) {
        guard let contents = try? Data(contentsOf: URL(filePath: path)) else {
            throw LoadFailure("\(path) cannot be read")
        }
        guard let json = try? JSONValue(parsing: Array(contents)), let list = json["outcomes"]?.arrayValue else {
            throw LoadFailure("\(path) is not what --json writes")
        }
        self.init(json, list)
    }

    private init(_ json: JSONValue, _ list: [JSONValue]) {
        commit = json["commit"]?.stringValue ?? ""
        flags = json["flags"]?.stringValue ?? ""
        machine = json["machine"]?.stringValue ?? ""
        kernel = json["kernel"]?.stringValue ?? ""
        began = json["began"]?.stringValue ?? ""
        loadAverage = json["loadAverage"]?.numberValue ?? 0
        outcomes = list.compactMap { Outcome($0) }
    }
}
