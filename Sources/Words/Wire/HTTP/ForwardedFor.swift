package import Model

/// The client's address of a request that came through proxies, from `X-Forwarded-For`: each proxy appends, on the
/// right, the address from which it got the request.
///
/// - Confinement: any
package enum ForwardedFor {
    /// Reads the entries from the right as long as their authors are trusted; entries further left may be invented.
    ///
    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - headers: The fields of the request.
    ///   - trusted: The trusted proxies.
    /// - Returns: the first address that is not a trusted proxy, or the leftmost readable one.
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

    /// The address in an entry: alone, or with the port that some proxies append.
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
