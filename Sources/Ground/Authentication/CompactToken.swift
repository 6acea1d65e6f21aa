import Digits
import JSON

/// A token split into its parts, with its header read and nothing verified (RFC 7515, section 7.1).
/// - Confinement: any
struct CompactToken {
    /// The algorithm of the server's own tokens.
    static let hmac = "HS256"

    /// The encoded header of these tokens: most tokens begin with it, so it need not be read again.
    static let ownHeader: [UInt8] = {
        let header: JSONValue = ["alg": .string(hmac), "typ": "JWT"]
        return Base64.url.encode(header.bytes)
    }()

    /// The algorithm in the header: `HS256`, or one of an issuer's.
    let algorithm: String
    /// The header's `kid`.
    let keyID: String?
    /// Header and payload, the part that was signed.
    let signed: [UInt8]
    /// The signature's bytes.
    let signature: [UInt8]
    private let payloadText: ArraySlice<UInt8>

    /// Splits a token and checks its header.
    init(_ token: String) throws(AuthenticationFailure) {
        let bytes = Array(token.utf8)
        guard bytes.count <= JSONWebToken.bytesMax else { throw .tooLong }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64.url.decode(parts[2]) else { throw .malformed }
        self.signature = signature
        signed = Array(bytes[..<parts[1].endIndex])
        payloadText = parts[1]
        guard !parts[0].elementsEqual(CompactToken.ownHeader) else {
            (algorithm, keyID) = (CompactToken.hmac, nil)
            return
        }
        let header = try CompactToken.object(parts[0])
        guard let algorithm = header["alg"]?.stringValue else { throw .algorithmRefused }
        // RFC 7515, section 4.1.11: a critical extension that the reader does not understand makes the token invalid.
        guard header["crit"] == nil else { throw .headerRefused }
        if let type = header["typ"] {
            guard let name = type.stringValue, name.lowercased() == "jwt" else { throw .headerRefused }
        }
        if let name = header["kid"], name.stringValue == nil { throw .headerRefused }
        self.algorithm = algorithm
        keyID = header["kid"]?.stringValue
    }

    /// The claims, which are not verified yet.
    func payload() throws(AuthenticationFailure) -> JSONObject {
        try CompactToken.object(payloadText)
    }

    /// Reads a part as a JSON object; a repeated name is refused, because two readers could take different values.
    private static func object(_ part: ArraySlice<UInt8>) throws(AuthenticationFailure) -> JSONObject {
        guard let bytes = Base64.url.decode(part) else { throw .malformed }
        do {
            guard let object = try JSONValue(parsing: bytes).objectValue else { throw AuthenticationFailure.malformed }
            return object
        } catch {
            throw .malformed
        }
    }
}
