package import Model

/// Whom a request comes from when it came by way of proxies: `X-Forwarded-For`, to which each proxy adds, on the right,
/// the address that it was asked from.
///
/// - Confinement: any
package enum ForwardedFor {
    /// Walks from the right for as long as the one who wrote an entry is trusted: what stands further left may be a lie.
    ///
    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - headers: of the request.
    ///   - trusted: proxies whose word is taken.
    /// - Returns: the first address that is no trusted proxy's, or the leftmost that could be read.
    package static func client(
        of peer: IPAddress, _ headers: HTTPHeaders, trusted: AddressRanges
    ) -> IPAddress {
        var client = peer
        guard trusted.contains(peer) else { return peer }
        let entries = headers.values("X-Forwarded-For").flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        for entry in entries.reversed() {
            guard trusted.contains(client), let address = address(of: entry) else { break }
            client = address
        }
        return client
    }

    /// An entry's address: bare, or with the port that some proxies add.
    private static func address(of entry: Substring) -> IPAddress? {
        let text = entry.trimmingBlanks
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return IPAddress(text[text.index(after: text.startIndex)..<end])
        }
        if text.utf8.filter({ $0 == UInt8(ascii: ":") }).count == 1, let colon = text.firstIndex(of: ":") {
            return IPAddress(text[..<colon])
        }
        return IPAddress(text)
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
