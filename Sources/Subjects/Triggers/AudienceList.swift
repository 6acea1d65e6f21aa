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
    /// - Throws: ``PatternProblem`` that says which field is missing, or which text is not an audience.
    func resolve(
        names: [String: String],
        before: JSONValue?,
        after: JSONValue?
    ) throws(PatternProblem) -> Audience {
        guard isList else { return try patterns[0].resolve(names: names, before: before, after: after) }
        var audiences: [Audience] = []
        for pattern in patterns {
            audiences.append(try pattern.resolve(names: names, before: before, after: after))
        }
        return Audience(all: audiences)
    }
}
