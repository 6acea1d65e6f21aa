import Foundation
import JSON

/// A run: its place, time and program, and its results.
struct LoadReport: Sendable {
    var commit = Machine.commit
    var flags = CommandLine.arguments.dropFirst().joined(separator: " ")
    var machine = Machine.description
    var kernel = Machine.kernel
    var began = Date().formatted(.iso8601)
    var loadAverage = Machine.loadAverage
    var outcomes: [Outcome] = []
    /// Why the run is incomplete; nil when it is complete.
    var unfinished: String?
    /// Why goals are not reached, by their keys; written by people.
    var reasons: [String: String] = [:]

    var isGood: Bool { outcomes.allSatisfy(\.isGood) }

    var json: JSONValue {
        var json: JSONValue = [
            "commit": .string(commit), "flags": .string(flags), "machine": .string(machine), "kernel": .string(kernel),
            "began": .string(began), "loadAverage": .number(loadAverage), "isGood": .bool(isGood),
            "outcomes": .array(outcomes.map(\.json)),
        ]
        if let unfinished { json["unfinished"] = .string(unfinished) }
        if !reasons.isEmpty {
            json["reasons"] = .object(
                JSONObject(reasons.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
        }
        return json
    }

    /// Reads the reasons for missed goals: lines `KEY: SENTENCE`, with the keys of the report; `#` begins a comment.
    static func reasons(path: String) throws(LoadFailure) -> [String: String] {
        guard let contents = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw LoadFailure("\(path) cannot be read")
        }
        var reasons: [String: String] = [:]
        for line in contents.split(separator: "\n") where !line.hasPrefix("#") {
            guard let colon = line.firstIndex(of: ":") else { throw LoadFailure("\(path): no colon in '\(line)'") }
            reasons[String(line[..<colon])] = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
        }
        return reasons
    }

    init() {}

    /// Reads a file that `--json` wrote.
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
        unfinished = json["unfinished"]?.stringValue
        for (name, value) in json["reasons"]?.objectValue?.members ?? [] { reasons[name] = value.stringValue }
    }
}
