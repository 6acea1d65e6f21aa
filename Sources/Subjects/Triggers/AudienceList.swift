package import JSON
import Model

/// The audience column of a row: one pattern, or a list of them.
///
/// A list reaches each person once, however many of its audiences the person is in.
///
/// - Confinement: any
package struct AudienceList: Sendable, Hashable {
    private let patterns: [AudiencePattern]
    private let isList: Bool

    /// Reads the column.
    ///
    /// - Throws: ``TriggerProblem`` naming `audience`, or the place in the list.
    init(json: JSONValue, names: [String], event: WatchedEvent) throws(TriggerProblem) {
        if let text = json.stringValue {
            isList = false
            patterns = [try Self.pattern(text, field: "audience", names: names, event: event)]
            return
        }
        guard let values = json.arrayValue else {
            throw TriggerProblem(
                field: "audience", message: "must be a text or a list of texts: \(AudiencePattern.form)")
        }
        guard (1...TriggerLimits.audiencesMax).contains(values.count) else {
            throw TriggerProblem(
                field: "audience",
                message: "a list has 1 to \(TriggerLimits.audiencesMax) audiences, not \(values.count)")
        }
        var patterns: [AudiencePattern] = []
        for (index, value) in values.enumerated() {
            let field = "audience[\(index)]"
            guard let text = value.stringValue else { throw TriggerProblem(field: field, message: "must be a text") }
            patterns.append(try Self.pattern(text, field: field, names: names, event: event))
        }
        isList = true
        self.patterns = patterns
    }

    private static func pattern(
        _ text: String,
        field: String,
        names: [String],
        event: WatchedEvent
    ) throws(TriggerProblem) -> AudiencePattern {
        do { return try AudiencePattern(text, names: names, event: event) } catch { throw TriggerProblem(field, error) }
    }

    /// The kinds of topics whose followers belong to the audience.
    package var followedKinds: [String] { patterns.compactMap(\.followedKind) }

    /// Whether the audience is one user.
    var isOnePerson: Bool { patterns.count == 1 && patterns[0].isOnePerson }

    /// The column as it was put.
    package var json: JSONValue {
        let texts = patterns.map { JSONValue.string($0.text) }
        return isList ? .array(texts) : texts[0]
    }

    /// The audience for one change.
    ///
    /// In a list, an audience whose field is missing is nobody, and the others are still the audience.
    ///
    /// - Returns: the audience, and for each that is nobody which field is missing.
    /// - Throws: ``PatternProblem`` that says which text is not an audience, or which fields are missing if nobody is left.
    func resolve(
        names: [String: String],
        before: JSONValue?,
        after: JSONValue?
    ) throws(PatternProblem) -> (audience: Audience, missing: [String]) {
        var audiences: [Audience] = []
        var missing: [String] = []
        for pattern in patterns {
            do {
                audiences.append(try pattern.resolve(names: names, before: before, after: after))
            } catch {
                guard error.isMissing else { throw error }
                if !missing.contains(error.message) { missing.append(error.message) }
            }
        }
        guard !audiences.isEmpty else { throw .missing(missing.joined(separator: "; ")) }
        return (Audience(all: audiences), missing)
    }
}
