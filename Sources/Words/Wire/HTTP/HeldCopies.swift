/// The copies that a client holds already, by the field `If-None-Match` of its request (RFC 9110 section 13.1.2).
///
/// - Confinement: any
package struct HeldCopies: Sendable, Hashable {
    /// Whether any copy will do, by `*`.
    private let areAny: Bool
    /// The tags without the mark `W/` of the weak ones, in their quotes.
    private let tags: [Substring]

    /// Reads all lines of the field. A word that is no tag is left out: then the client gets the whole answer, which is never wrong.
    package init(_ headers: HTTPHeaders) {
        let lines = headers.values("If-None-Match")
        areAny = lines.contains { $0 == "*" }
        tags = lines.flatMap(Self.tags)
    }

    /// Whether the answer that has this tag is among them, so that 304 says enough. Tags are compared weakly: a proxy that
    /// compresses makes `W/"a"` of `"a"`, and the content is the same.
    package func contain(_ tag: String) -> Bool {
        areAny || tags.contains(Self.withoutMark(tag[...]))
    }

    private static func withoutMark(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }

    /// The tags of a list. A tag may contain a comma, so the quotes bound it.
    private static func tags(_ list: String) -> [Substring] {
        var tags: [Substring] = []
        var rest = list[...]
        while let open = rest.firstIndex(of: "\"") {
            let after = rest.index(after: open)
            guard let close = rest[after...].firstIndex(of: "\"") else { break }
            tags.append(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return tags
    }
}
