import Files
import JSON
import Model
package import Triggers

/// The source of the trigger rows of a new folder: a table that ships with the server, or a file.
///
/// - Confinement: any
package enum TriggerSource: Sendable, Hashable {
    case ready(ReadyApplication)
    case file(String)

    /// The name of a ready table, or a path, which has a slash or a dot; nil for anything else.
    package init?(_ text: String) {
        if let ready = ReadyApplication(rawValue: text) {
            self = .ready(ready)
        } else if text.contains("/") || text.contains(".") {
            self = .file(text)
        } else {
            return nil
        }
    }

    /// As it is named to people.
    private var name: String {
        switch self {
        case .ready(let application): "deploy/triggers/\(application.rawValue).json"
        case .file(let path): path
        }
    }

    /// Reads and compiles the rows: one, or a list of them.
    ///
    /// - Throws: ``StartProblem`` naming the file, and the row and column where one of them is wrong.
    package func definitions(_ runner: ConditionRunner) throws(StartProblem) -> [TriggerDefinition] {
        let content: JSONValue
        do {
            content = try JSONValue(parsing: bytes())
        } catch let problem as JSONError {
            throw StartProblem(isConfiguration: true, "triggers: \(name): \(problem.message)")
        } catch {
            throw StartProblem(isConfiguration: true, "triggers: \(error)")
        }
        var definitions: [TriggerDefinition] = []
        for (index, row) in (content.arrayValue ?? [content]).enumerated() {
            do {
                let definition = try TriggerDefinition(json: row)
                _ = try CompiledTrigger(definition, runner: runner)
                definitions.append(definition)
            } catch {
                let place = row["name"]?.stringValue ?? "row \(index + 1)"
                throw StartProblem(isConfiguration: true, "triggers: \(name): \(place): \(error)")
            }
        }
        return definitions
    }

    private func bytes() throws -> [UInt8] {
        switch self {
        case .ready(let application): application.triggers
        case .file(let path): try ReadableFile(path: path).read(bytesMax: TriggerLimits.fileBytesMax).bytes
        }
    }
}
