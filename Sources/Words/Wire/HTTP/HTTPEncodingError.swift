/// Why a message cannot be encoded: a part of it would be read as another part. Nothing is removed or escaped silently,
/// so a header cannot be injected.
///
/// - Confinement: any
package enum HTTPEncodingError: Error, Sendable, Hashable {
    /// The name is not a token.
    case invalidHeaderName(String)
    /// The value of the named header has a CR, LF, NUL or another control character.
    case invalidHeaderValue(name: String)
    /// The named header frames the message (`Connection`, `Content-Length`, `Transfer-Encoding`, `Host`, `Upgrade` …);
    /// only the encoder writes it.
    case framingHeader(name: String)
    /// The status is outside 200–599.
    case invalidStatus(Int)
    /// The status forbids a body: 204, 304.
    case bodyNotAllowed(status: Int)
    /// The method is not a token.
    case invalidMethod
    /// The target has a blank, a control character, a `#` or a byte that is not ASCII, or is empty.
    case invalidTarget
    /// The host is not a valid `host` or `host:port`.
    case invalidHost
    /// A field of a Server-Sent Event has a line end or a NUL.
    case invalidEventField
}
