import JSON
package import Model

/// The `with` column of a row: other documents that its expressions and templates may read, each under a name of its own
/// (`{"author": "users/{after.author}"}`).
///
/// - Confinement: any
package struct OtherDocuments: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        let name: String
        /// The text as written.
        let text: String
        let path: ReferenceText
    }

    private let entries: [Entry]

    /// For a row that reads no other documents.
    static let none = OtherDocuments()

    private init() { entries = [] }

    /// Reads the column.
    ///
    /// - Throws: ``TriggerProblem`` naming `with`, or the member in it.
    init(json: JSONValue, path: PathPattern, event: WatchedEvent) throws(TriggerProblem) {
        guard let object = json.objectValue else {
            throw TriggerProblem(
                field: "with",
                message: #"must be an object of names and paths, such as {"author": "users/{after.author}"}"#)
        }
        guard object.members.count <= TriggerLimits.otherDocumentsMax else {
            throw TriggerProblem(
                field: "with", message: "a row reads at most \(TriggerLimits.otherDocumentsMax) other documents")
        }
        var entries: [Entry] = []
        for (name, value) in object.members {
            let field = "with.\(name)"
            guard let text = value.stringValue else {
                throw TriggerProblem(field: field, message: "must be the path of a document, such as users/{\(name)}")
            }
            do {
                try PathPattern.check(name, against: path.names + entries.map(\.name))
                entries.append(Entry(name: name, text: text, path: try Self.path(text, names: path.names, event)))
            } catch { throw TriggerProblem(field, error) }
        }
        self.entries = entries
    }

    /// Reads a path, and checks it with a sample word in place of each reference.
    private static func path(
        _ text: String, names: [String], _ event: WatchedEvent
    ) throws(PatternProblem) -> ReferenceText {
        let path = try ReferenceText(Array(text), separators: "/", from: 1, names: names, event: event)
        do { _ = try DocumentPath(path.example) } catch { throw PatternProblem(error.message) }
        return path
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The names in their order.
    var names: [String] { entries.map(\.name) }

    var json: JSONValue {
        guard !entries.isEmpty else { return .null }
        var object = JSONObject()
        for entry in entries { object[entry.name] = .string(entry.text) }
        return .object(object)
    }

    /// The paths of the documents for one change, in the order of the names; nil where the change lacks a field of the
    /// path, or where the result is no path.
    package func paths(for change: DocumentChange, of pattern: PathPattern) -> [DocumentPath?] {
        guard let values = pattern.match(change.path) else { return entries.map { _ in nil } }
        let names = Dictionary(zip(pattern.names, values), uniquingKeysWith: { first, _ in first })
        return entries.map { entry in
            let text = try? entry.path.resolve(names: names, before: change.before, after: change.after)
            return text.flatMap { try? DocumentPath($0) }
        }
    }
}
