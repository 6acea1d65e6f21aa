/// A form of addresses. A site that moves may change three things in all of its own: the scheme, `www.`, and the slash at the end.
///
/// - Confinement: any
struct AddressForm: Hashable {
    let isSecure: Bool
    let hasWWW: Bool
    let endsInSlash: Bool

    /// `https://example.org/path`, for names that are compared.
    static let canonical = AddressForm(isSecure: true, hasWWW: false, endsInSlash: false)

    /// All forms, those of a site that has only changed its scheme first.
    static let all = [false, true].flatMap { slash in
        [false, true].flatMap { www in
            [true, false].map { AddressForm(isSecure: $0, hasWWW: www, endsInSlash: slash) }
        }
    }

    /// A name with this form of the addresses in its lines.
    func written(_ name: String) -> String {
        name.split(separator: "\n", omittingEmptySubsequences: false).map(line).joined(separator: "\n")
    }

    /// A line with its addresses in this form. All change their scheme; only the first, which is the site's own, changes the rest.
    /// It may stand after other text: `7 at http://example.org`.
    private func line(_ text: Substring) -> String {
        let scheme = isSecure ? "https://" : "http://"
        let text = text.replacing(isSecure ? "http://" : "https://", with: scheme)
        guard let start = text.firstRange(of: scheme)?.upperBound else { return String(text) }
        var address = text[start...]
        if address.hasPrefix("www.") { address.removeFirst(4) }
        let isWhole = !address.contains { " ?#".contains($0) }
        if isWhole {
            while address.last == "/" { address.removeLast() }
        }
        return text[..<start] + (hasWWW ? "www." : "") + address + (isWhole && endsInSlash ? "/" : "")
    }
}
