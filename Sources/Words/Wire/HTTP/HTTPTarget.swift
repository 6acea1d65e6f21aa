import Digits
import Model

/// The target of a request (RFC 9112 section 3.2), split and percent-decoded.
///
/// - Confinement: any
package struct HTTPTarget: Sendable, Hashable {
    /// One `name=value` of the query, decoded; without a `=` the value is empty.
    package struct QueryItem: Sendable, Hashable {
        /// The decoded name.
        package let name: String
        /// The decoded value.
        package let value: String
    }

    /// The target as sent.
    package let text: String
    /// `host` or `host:port` of an absolute-form target, which overrides the `Host` field; nil in origin-form.
    package let authority: String?
    /// The path as sent, without the query: it begins with `/`, or is `*`.
    package let path: String
    /// The path's segments, each decoded: `/v1/publish/tv%2F1399` is `["v1", "publish", "tv/1399"]`, `/` is `[]`, and
    /// a slash at the end leaves an empty last segment. Control characters stay encoded.
    package let segments: [String]
    /// Whether the path has a control character or one of the segments `.` and `..`, which only attacks contain, because clients
    /// resolve them before they send (RFC 3986 section 5.2.4). Nothing answers such a request, and the audit may have it.
    package let isUnfit: Bool
    /// The items of the query in order, decoded as in forms (`+` is a blank).
    package let query: [QueryItem]

    /// An estimate of the bytes that it takes in memory: an item of two letters takes ten times as much as in the text.
    var heldBytes: Int {
        let items = query.reduce(query.capacity * MemoryLayout<QueryItem>.stride) {
            $0 + $1.name.heldBytes + $1.value.heldBytes
        }
        let parts = segments.reduce(segments.capacity * MemoryLayout<String>.stride) { $0 + $1.heldBytes }
        return text.heldBytes + path.heldBytes + items + parts
    }

    /// The value of the first item with this name.
    package func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Splits `bytes`: origin-form, absolute-form of `http` and `https`, and `*` for OPTIONS.
    init(_ bytes: ArraySlice<UInt8>, method: String) throws(HTTPViolation) {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .badRequest("invalid character in the request target")
        }
        text = HTTPSyntax.text(bytes)
        if bytes.elementsEqual("*".utf8), method == "OPTIONS" {
            (authority, path, segments, isUnfit, query) = (nil, "*", [], false, [])
            return
        }
        let (authority, rest) = try Self.splitAuthority(bytes)
        self.authority = authority
        let pathBytes = rest.prefix { $0 != UInt8(ascii: "?") }
        path = pathBytes.isEmpty ? "/" : HTTPSyntax.text(pathBytes)
        (segments, isUnfit) = try Self.segments(pathBytes)
        query = try Self.items(rest.dropFirst(pathBytes.count + 1))
    }

    private static func splitAuthority(
        _ bytes: ArraySlice<UInt8>
    ) throws(HTTPViolation) -> (authority: String?, rest: ArraySlice<UInt8>) {
        if bytes.first == UInt8(ascii: "/") { return (nil, bytes) }
        for scheme in ["http://", "https://"] {
            let start = bytes.prefix(scheme.utf8.count)
            guard start.map(HTTPSyntax.lowercased).elementsEqual(scheme.utf8) else { continue }
            let behind = bytes.dropFirst(start.count)
            let authority = behind.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard HTTPAuthority.isValid(authority) else { throw .badRequest("invalid host in the request target") }
            return (HTTPSyntax.text(authority), behind.dropFirst(authority.count))
        }
        throw .badRequest("the request target is neither a path nor an http URL")
    }

    /// Decodes the path's segments, and says whether one of them has no place in a path.
    private static func segments(_ path: ArraySlice<UInt8>) throws(HTTPViolation) -> ([String], isUnfit: Bool) {
        guard path.count > 1 else { return ([], false) }
        guard path.dropFirst().count(where: { $0 == UInt8(ascii: "/") }) < HTTPLimits.segmentsMax else {
            throw .badRequest("a path has at most \(HTTPLimits.segmentsMax) segments")
        }
        var (segments, isUnfit) = ([String](), false)
        for part in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let segment = try decoded(part, plusIsBlank: false)
            if segment.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
                isUnfit = isUnfit || segment == "." || segment == ".."
                segments.append(segment)
            } else {
                isUnfit = true
                segments.append(escaped(segment))
            }
        }
        return (segments, isUnfit)
    }

    private static func escaped(_ segment: String) -> String {
        segment.unicodeScalars.map { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F ? PercentEncoding.encode(String(scalar)) : String(scalar)
        }.joined()
    }

    private static func items(_ query: ArraySlice<UInt8>) throws(HTTPViolation) -> [QueryItem] {
        guard query.count(where: { $0 == UInt8(ascii: "&") }) < HTTPLimits.queryItemsMax else {
            throw .badRequest("a query has at most \(HTTPLimits.queryItemsMax) items")
        }
        var items: [QueryItem] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            let value = part.dropFirst(name.count + 1)
            items.append(
                QueryItem(
                    name: try decoded(name, plusIsBlank: true),
                    value: try decoded(value, plusIsBlank: true)
                )
            )
        }
        return items
    }

    /// Decodes `%HH`; the result must be UTF-8, in a query without NUL.
    private static func decoded(_ bytes: ArraySlice<UInt8>, plusIsBlank: Bool) throws(HTTPViolation) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Hexadecimal.value),
                    let low = rest.popFirst().flatMap(Hexadecimal.value)
                else { throw .badRequest("invalid percent-encoding in the request target") }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank:
                decoded.append(HTTPSyntax.space)
            default:
                decoded.append(byte)
            }
        }
        guard !plusIsBlank || !decoded.contains(0), let text = String(validating: decoded, as: UTF8.self) else {
            throw .badRequest("the request target does not decode to UTF-8 text")
        }
        return text
    }
}

extension String {
    /// Bytes that it takes outside of its own place: none up to fifteen, else its text and the head of an allocation.
    var heldBytes: Int { utf8.count <= 15 ? 0 : utf8.count + 48 }
}
