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

    /// A name with this form of the addresses in its lines. All change their scheme; only the first of a line, which is the site's own, changes
    /// the rest. It may stand after other text: `7 at http://example.org`.
    func written(_ name: String) -> String {
        let bytes = Array(name.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        // Where the first address of the line begins, after its scheme.
        var start: Int?
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "h"),
                let scheme = Self.schemes.first(where: { bytes[index...].starts(with: $0) })
            {
                output += Self.schemes[isSecure ? 1 : 0]
                index += scheme.count
                guard start == nil else { continue }
                start = output.count
                if bytes[index...].starts(with: Self.www) { index += Self.www.count }
                if hasWWW { output += Self.www }
                continue
            }
            if bytes[index] == UInt8(ascii: "\n") {
                end(&output, from: start)
                start = nil
            }
            output.append(bytes[index])
            index += 1
        }
        end(&output, from: start)
        return String(decoding: output, as: UTF8.self)
    }

    /// Gives the line that ends here its slash, or takes it away, if its first address goes on to the end.
    private func end(_ output: inout [UInt8], from start: Int?) {
        guard let start, !output[start...].contains(where: { Self.ends.contains($0) }) else { return }
        while output.count > start, output.last == UInt8(ascii: "/") { output.removeLast() }
        if endsInSlash { output.append(UInt8(ascii: "/")) }
    }

    private static let schemes = [Array("http://".utf8), Array("https://".utf8)]
    private static let www = Array("www.".utf8)
    /// After these an address has more than a path.
    private static let ends = Array(" ?#".utf8)
}
