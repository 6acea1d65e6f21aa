import ClientProtocol
import Console
import JSON
import Model
import Session

/// A command of the contract as a person types it, and the help for it. Its fields, and how their values are read, come
/// from the table that describes the contract.
///
/// ```
/// send to=bob text=Seen it twice!
/// recommend to=bob product.id=movie/603 product.title="The Matrix"
/// {"type": "send", "to": "bob", "text": "Seen it twice!"}
/// ```
/// A dot leads into an object. A value that begins with `{` or `[` is JSON, up to its end. Words without `=` belong to the value before them. A list has commas between its entries.
/// A command that takes a key gets one, unless it was typed.
/// - Confinement: any
struct TypedCommand {
    /// A line that is not a command: a sentence for the person who typed it.
    struct Mistake: Error, Equatable {
        let sentence: String

        init(_ sentence: String) { self.sentence = sentence }
    }

    private let kind: any Command.Type
    private let forms: [[ValueForm.Member]]

    /// The command with a name.
    init(named name: String) throws(Mistake) {
        guard let kind = Self.kinds.first(where: { $0.name == name }) else {
            let hint =
                NearestName.of(name, among: Self.names).map { "; did you mean '\($0)'?" } ?? "; 'help' lists them"
            throw Mistake("there is no command '\(name.cut(to: 64).printable)'" + hint)
        }
        self.kind = kind
        forms = kind.form.fields
    }

    /// A session says `hello` itself, and acknowledges what it has shown.
    private static let kinds = CommandTable.types.filter { !$0.isOfSession }
    private static var names: [String] { kinds.map { $0.name } }

    // MARK: Help

    /// One line for each form of each command, with its fields.
    static var summary: [String] {
        names.compactMap { try? TypedCommand(named: $0) }.flatMap { command in
            command.forms.map { fields in
                let shown = fields.filter { !$0.form.isNull && $0.name != "key" }
                let words = shown.map { $0.isRequired ? $0.name + "=" : "[\($0.name)=]" }
                return ([command.kind.name] + words).joined(separator: " ")
            }
        }
    }

    /// The fields of this command, one in a line.
    var help: [String] {
        forms.enumerated().flatMap { index, fields in
            [index == 0 ? kind.name : "or"]
                + fields.filter { !$0.form.isNull }.map { member in
                    let meaning = member.meaning.isEmpty ? "" : "  " + member.meaning
                    return "  \(member.name)\(member.isRequired ? "" : " (optional)"): \(member.form.words)\(meaning)"
                }
        }
    }

    // MARK: Reading

    /// Reads a line that is not empty.
    /// - Parameter key: makes a key for the write.
    static func read(_ line: String, key: () -> String) throws(Mistake) -> ClientCommand {
        if line.hasPrefix("{") { return try readJSON(line, key: key) }
        let words = try TypedWords.split(line)
        let command = try TypedCommand(named: words[0].text)
        return try command.make(command.fields(Array(words.dropFirst())), key: key)
    }

    private static func readJSON(_ line: String, key: () -> String) throws(Mistake) -> ClientCommand {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: Array(line.utf8))
        } catch {
            let character = String(decoding: line.utf8.prefix(error.offset), as: UTF8.self).count + 1
            throw Mistake("this is not JSON: \(error.message)\n" + Caret.lines(line, character: character))
        }
        guard let object = value.objectValue, let name = object["type"]?.stringValue else {
            throw Mistake("a command needs a type, such as {\"type\": \"ping\"}")
        }
        return try TypedCommand(named: name).make(object, key: key)
    }

    private func make(_ fields: JSONObject, key: () -> String) throws(Mistake) -> ClientCommand {
        var fields = fields
        if fields["key"] == nil, forms.joined().contains(where: { $0.name == "key" }) { fields["key"] = .string(key()) }
        return ClientCommand(kind, fields)
    }

    private func fields(_ words: [TypedWords.Word]) throws(Mistake) -> JSONObject {
        var typed: [(name: String, value: String)] = []
        for word in words {
            if let name = word.name, member(name) != nil || typed.isEmpty || !word.mayContinue {
                typed.append((name, word.value))
            } else if typed.isEmpty {
                throw Mistake("'\(word.text.cut(to: 40).printable)' is not FIELD=VALUE; \(Self.pointer(to: kind.name))")
            } else {
                typed[typed.count - 1].value += " " + word.text
            }
        }
        var fields: JSONValue = [:]
        for (name, text) in typed {
            guard let member = member(name) else { throw unknown(name) }
            guard let value = member.form.value(of: text) else {
                throw Mistake("\(name) must be \(member.form.words), not '\(text.cut(to: 40).printable)'")
            }
            Self.set(value, at: name.split(separator: ".").map(String.init), in: &fields)
        }
        return fields.objectValue ?? [:]
    }

    private func unknown(_ name: String) -> Mistake {
        let known = forms.joined().filter { !$0.form.isNull }.map(\.name)
        let hint =
            NearestName.of(name, among: known).map { "; did you mean '\($0)'?" } ?? "; " + Self.pointer(to: kind.name)
        return Mistake("\(kind.name) has no field '\(name.cut(to: 40).printable)'" + hint)
    }

    private static func pointer(to name: String) -> String { "'help \(name)' shows its fields" }

    private func member(_ path: String) -> ValueForm.Member? {
        var members = forms.flatMap(\.self)
        var found: ValueForm.Member?
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            found = members.first { $0.name == name && !$0.form.isNull }
            members = found?.form.members ?? []
        }
        return found
    }

    private static func set(_ value: JSONValue, at path: [String], in object: inout JSONValue) {
        guard let name = path.first else { return }
        guard path.count > 1 else { return object[name] = value }
        var inner = object[name] ?? [:]
        set(value, at: Array(path.dropFirst()), in: &inner)
        object[name] = inner
    }
}
