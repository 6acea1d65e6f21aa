import Console
import Foundation
import JSON

extension JSONValue {
    /// A member as people read it, without power over the terminal; empty when it is absent or null.
    func shown(_ name: String) -> String {
        guard let value = self[name], !value.isNull else { return "" }
        return (value.stringValue ?? value.text).printable
    }

    /// The value over several lines, indented by two blanks; empty values and lists of plain values stay on one line.
    var pretty: String { pretty(indent: "") }

    private func pretty(indent: String) -> String {
        let deeper = indent + "  "
        switch self {
        case .object(let object) where !object.isEmpty:
            let lines = object.members.map { member in
                deeper + JSONValue.string(member.name).text + ": " + member.value.pretty(indent: deeper)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
        case .array(let values) where values.contains { $0.objectValue != nil || $0.arrayValue != nil }:
            return "[\n" + values.map { deeper + $0.pretty(indent: deeper) }.joined(separator: ",\n") + "\n"
                + indent + "]"
        default: return text
        }
    }
}
