import Model

/// The addresses of web pages, as feeds write them.
///
/// - Confinement: any
enum WebLink {
    /// The whole address that a text gives; nil for one that a browser does not open safely (`javascript:`).
    ///
    /// Blanks and brackets inside are encoded, and line ends left out, as browsers do it.
    ///
    /// - Parameter base: The address that completes a relative one; without it those are nil.
    static func address(_ text: String, base: String? = nil) -> String? {
        guard let link = cleaned(text) else { return nil }
        let whole = scheme(of: link) == nil ? base.flatMap { resolved(link, against: $0) } : link
        guard let whole, let scheme = scheme(of: whole), ["http", "https"].contains(scheme),
            whole.dropFirst(scheme.count).hasPrefix("://"), whole.utf8.count <= FeedLimits.linkBytesMax
        else { return nil }
        return whole
    }

    /// The text without white space around and line ends inside; nil when it is empty or has control characters.
    private static func cleaned(_ text: String) -> String? {
        var link = ""
        for character in PlainText.cut(text, to: FeedLimits.linkBytesMax).unicodeScalars {
            switch character.value {
            case 0x09, 0x0a, 0x0d: continue
            case 0x20: link += "%20"
            case 0x22: link += "%22"
            case 0x3c: link += "%3C"
            case 0x3e: link += "%3E"
            case 0x00...0x1f, 0x7f...0x9f: return nil
            default: link.unicodeScalars.append(character)
            }
        }
        return link.isEmpty ? nil : link
    }

    /// The scheme in small letters; nil for a relative address (RFC 3986 section 3.1).
    private static func scheme(of link: String) -> String? {
        guard let colon = link.firstIndex(of: ":"), let first = link.first, first.isASCII, first.isLetter,
            link[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        return link[..<colon].lowercased()
    }

    /// RFC 3986 section 5.2, for the addresses of the web.
    private static func resolved(_ link: String, against base: String) -> String? {
        guard let base = address(base), let end = base.firstRange(of: "://"),
            // `www.example.org/a` is an address without its scheme, more often than a file of that name.
            !link.lowercased().hasPrefix("www.")
        else { return nil }
        let scheme = base[..<end.upperBound]
        let authority = base[end.upperBound...].prefix { !"/?#".contains($0) }
        let rest = base[end.upperBound...].dropFirst(authority.count)
        let (path, query) = halves(rest.prefix { $0 != "#" }, at: "?")
        if link.hasPrefix("//") { return scheme.dropLast(2) + link }
        let root = scheme + authority
        switch link.first {
        case "#": return root + path + query + link
        case "?": return root + (path.isEmpty ? "/" : path) + link
        default: break
        }
        let (way, more) = halves(link[...].prefix { $0 != "#" }, at: "?")
        let fragment = link.dropFirst(way.count + more.count)
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        let whole = way.hasPrefix("/") ? String(way) : String(folder) + String(way)
        return String(root) + withoutDots(whole) + String(more) + String(fragment)
    }

    /// The text before a character, and the rest with it.
    private static func halves(_ text: Substring, at mark: Character) -> (Substring, Substring) {
        let index = text.firstIndex(of: mark) ?? text.endIndex
        return (text[..<index], text[index...])
    }

    /// RFC 3986 section 5.2.4.
    private static func withoutDots(_ path: String) -> String {
        var parts: [Substring] = []
        let given = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in given.enumerated() {
            let isLast = index == given.count - 1
            switch part {
            case ".": if isLast { parts.append("") }
            case "..":
                _ = parts.popLast()
                if isLast { parts.append("") }
            default: parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }
}
