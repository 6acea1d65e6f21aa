import JSON
import Model

/// A text with references in braces: `person:{person}`, `users/{after.author}`.
///
/// - Confinement: any
struct ReferenceText: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case literal(String)
        case reference(FieldReference)
    }

    private let parts: [Part]
    /// The characters between two parts of the text, of which each reference is one.
    private let separators: String

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - separators: The characters that may stand between two parts of the text.
    ///   - place: The text's position in the column, from 1, for the places in messages.
    ///   - names: The names of the path; braces may hold these and fields, nothing else.
    ///   - event: The event that the row watches: the document before a create and the one after a delete cannot be
    ///     named.
    /// - Throws: ``PatternProblem`` with the place.
    init(
        _ text: [Character], separators: String, from place: Int, names: [String], event: WatchedEvent
    ) throws(PatternProblem) {
        self.separators = separators
        var parts: [Part] = []
        var index = 0
        while index < text.count {
            if text[index] == "{" {
                guard let end = text[index...].firstIndex(of: "}") else {
                    throw PatternProblem("this brace is not closed", character: place + index)
                }
                let inside = String(text[(index + 1)..<end])
                parts.append(.reference(try Self.reference(inside, at: place + index, names: names, event: event)))
                index = end + 1
            } else {
                let end = text[index...].firstIndex(of: "{") ?? text.count
                if let stray = text[index..<end].firstIndex(of: "}") {
                    throw PatternProblem("this brace was not opened", character: place + stray)
                }
                parts.append(.literal(String(text[index..<end])))
                index = end
            }
        }
        self.parts = parts
    }

    var isEmpty: Bool { parts.isEmpty }

    /// The text with a sample word in place of each reference, for checks of its form.
    var example: String { example { _ in "x" } }

    /// The same with a word for each reference, by its number from 0.
    func example(_ word: (Int) -> String) -> String {
        var count = 0
        return parts.map { part in
            switch part {
            case .literal(let text): return text
            case .reference:
                count += 1
                return word(count - 1)
            }
        }.joined()
    }

    /// Whether the text is the same for every change.
    var isLiteral: Bool { !parts.contains { if case .reference = $0 { true } else { false } } }

    private static func reference(
        _ text: String,
        at place: Int,
        names: [String],
        event: WatchedEvent
    ) throws(PatternProblem) -> FieldReference {
        let reference: FieldReference
        do { reference = try FieldReference(text) } catch { throw PatternProblem(error.reason, character: place) }
        switch reference.target {
        case .name(let name) where !names.contains(name):
            let known = names.isEmpty ? "the path has no names" : "the path has {\(names.joined(separator: "}, {"))}"
            throw PatternProblem("there is no {\(name)}; \(known)", character: place)
        case .field(.before, _) where event == .create:
            throw PatternProblem("{\(text)}: a create has no document before", character: place)
        case .field(.after, _) where event == .delete:
            throw PatternProblem("{\(text)}: a delete leaves no document after", character: place)
        case .name, .field: return reference
        }
    }

    /// The text for one change. A value of a document is one part, so that its author does not choose another document or
    /// audience than the row means. A value that stands alone may have separators, and the id of a product has one.
    ///
    /// - Throws: ``PatternProblem`` that says which field is missing, or is more than a segment.
    func resolve(names: [String: String], before: JSONValue?, after: JSONValue?) throws(PatternProblem) -> String {
        var value = ""
        for part in parts {
            switch part {
            case .literal(let text): value += text
            case .reference(let reference):
                let filled = try reference.value(names: names, before: before, after: after)
                guard parts.count == 1 || reference.isOfPath || Self.isOnePart(filled, between: separators) else {
                    throw PatternProblem(
                        "'\(filled.prefix(200))' is more than one part, and {\(reference.text)} is one")
                }
                value += filled
            }
        }
        return value
    }

    /// Whether a value has none of the marks that stand between parts. The id of a product has one.
    static func isOnePart(_ value: String, between marks: some Collection<Character>) -> Bool {
        let prefix = DocumentLimits.compoundIDPrefixes.first { value.hasPrefix($0 + "/") }
        return !value.dropFirst(prefix.map { $0.count + 1 } ?? 0).contains(where: marks.contains)
    }
}
