import Model

/// The types of the commands, their answers and the events for TypeScript, made from the tables from which ``AsyncAPI`` is made.
///
/// - Confinement: any
package enum TypeScript {
    /// The file `watchwise-protocol.d.ts` of the library for browsers and Node.
    package static let bytes = Array(text.utf8)

    private static var text: String {
        let events = EventName.allCases.map { name in
            property(.need(name.rawValue, .object(EventForms.members(of: name))), "  ")
        }
        let commands = CommandTable.types.map { type in
            property(.need(type.name, .either(type.form.fields.map { .object($0.map(\.orNull)) })), "  ")
        }
        let answers = CommandTable.types.map { property(.need($0.name, $0.form.answer), "  ") }
        return """
            // The commands of /v1, their answers, and the events. Made from the tables from which the AsyncAPI document is made.
            // A later version may have more of each.

            export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
            export type JsonObject = { [name: string]: Json };

            /** The fields of each command, beside `id` and `type`. */
            export interface Commands {
            \(commands.joined())}

            /** The members of each answer. */
            export interface Answers {
            \(answers.joined())}

            /** The members of each event, beside `type`. */
            export interface Events {
            \(events.joined())}

            export type CommandName = keyof Commands;
            export type EventName = keyof Events;
            /** A command as it is sent, without its `id`. */
            export type CommandOf<Name extends CommandName = CommandName> = { [N in Name]: { type: N } & Commands[N] }[Name];
            /** An event as it comes. */
            export type EventOf<Name extends EventName = EventName> = { [N in Name]: { type: N } & Events[N] }[Name];

            """
    }

    /// A member on a line of its own, below its meaning.
    private static func property(_ member: ValueForm.Member, _ indent: String) -> String {
        let meaning = member.meaning.isEmpty ? "" : "\(indent)/** \(member.meaning) */\n"
        let isName = member.name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        let name = isName ? member.name : "\"\(member.name)\""
        return meaning + "\(indent)\(name)\(member.isRequired ? "" : "?"): \(type(of: member.form, indent));\n"
    }

    private static func type(of form: ValueForm, _ indent: String) -> String {
        switch form {
        case .text: return "string"
        case .words(let words): return words.map { "\"\($0)\"" }.joined(separator: " | ")
        case .integer, .fraction: return "number"
        case .flag: return "boolean"
        case .list(let element, _):
            let one = type(of: element, indent)
            return one.contains(" | ") ? "(\(one))[]" : "\(one)[]"
        case .object(let members, let isOpen):
            if members.isEmpty { return isOpen ? "JsonObject" : "{}" }
            return "{\n" + members.map { property($0, indent + "  ") }.joined() + indent + "}"
        case .named(let element, _, _): return "{ [name: string]: \(type(of: element, indent)) }"
        case .either(let forms):
            var types: [String] = []
            for one in forms.map({ type(of: $0, indent) }) where !types.contains(one) { types.append(one) }
            return types.joined(separator: " | ")
        case .shared, .anything: return "Json"
        case .null: return "null"
        case .yes: return "true"
        case .no: return "false"
        }
    }
}

extension ValueForm.Member {
    /// A field of a command that is null counts as absent.
    fileprivate var orNull: ValueForm.Member {
        isRequired || form.isNull ? self : .mayBeNull(name, form, meaning)
    }
}
