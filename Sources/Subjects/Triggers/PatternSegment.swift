import Model

/// The part of a path pattern between two slashes, and its position.
struct PatternSegment {
    let text: Substring
    /// Counted from 1.
    let character: Int

    /// Splits `text` at its slashes.
    static func all(of text: String) throws(PatternProblem) -> [PatternSegment] {
        var segments: [PatternSegment] = []
        var character = 1
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            guard !part.isEmpty else {
                throw PatternProblem(
                    "a path pattern has no empty parts and neither begins nor ends with '/'",
                    character: character
                )
            }
            segments.append(PatternSegment(text: part, character: character))
            character += part.count + 1
        }
        return segments
    }

    /// The name inside `{…}`; nil when this is a literal.
    ///
    /// - Throws: ``PatternProblem`` when the braces do not enclose the whole part.
    func name() throws(PatternProblem) -> String? {
        if text.first == "{", text.last == "}", text.count >= 2 {
            let inside = text.dropFirst().dropLast()
            if !inside.contains(where: { $0 == "{" || $0 == "}" }) { return String(inside) }
        }
        guard !text.contains(where: { $0 == "{" || $0 == "}" }) else {
            throw PatternProblem(
                "'\(text)': a name in braces stands for a whole id, not for a part of one",
                character: character
            )
        }
        return nil
    }

    /// The part as the name of a collection.
    func collection() throws(PatternProblem) -> String {
        guard try name() == nil else {
            throw PatternProblem(
                "'\(text)' is in the place of a collection, which must be a fixed name",
                character: character
            )
        }
        return String(text)
    }

    /// The id that begins at `index`, and the number of its parts.
    static func id(
        at index: Int,
        of segments: [PatternSegment]
    ) throws(PatternProblem) -> (id: PathPattern.ID, parts: Int) {
        if let name = try segments[index].name() { return (.name(name), 1) }
        let first = String(segments[index].text)
        guard DocumentLimits.compoundIDPrefixes.contains(first), index + 1 < segments.count else {
            return (.literal(first), 1)
        }
        guard try segments[index + 1].name() == nil else {
            throw PatternProblem(
                "'\(first)/\(segments[index + 1].text)': a name stands for a whole id, which here is \(first)/…",
                character: segments[index].character
            )
        }
        return (.literal("\(first)/\(segments[index + 1].text)"), 2)
    }
}
