import JSON
package import Model
import TLS

/// JSON Web Tokens (RFC 7519) in compact form, signed with HMAC-SHA-256 by the server's own secret.
///
/// The algorithm is fixed by the key, never chosen by the token (RFC 8725, section 3.1).
/// - Confinement: any
package enum JSONWebToken {
    /// A longer token is refused unread; ours have about 200 bytes.
    package static let bytesMax = 8192
    /// Clocks of issuers may run ahead of ours by this, for `nbf` and `iat`. `exp` has no such mercy.
    package static let leewaySeconds: Int64 = 60
    /// The last second of the year 9999.
    static let secondsMax: Int64 = 253_402_300_799

    /// Signs claims.
    /// - Parameter issuedAt: the present, which becomes `iat`.
    /// - Returns: the token, ASCII.
    package static func sign(_ claims: Claims, issuedAt: Timestamp, with secret: ServerSecret) -> String {
        var payload: JSONValue = ["sub": .string(claims.subject.text)]
        if !claims.scopes.isEmpty { payload["scope"] = .string(claims.scopes.sorted().joined(separator: " ")) }
        payload["iat"] = .integer(seconds(issuedAt))
        payload["exp"] = .integer(seconds(claims.expiresAt))
        if let tokenID = claims.tokenID { payload["jti"] = .string(tokenID) }
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        var token = Base64URL.encode(header.bytes)
        token.append(UInt8(ascii: "."))
        token += Base64URL.encode(payload.bytes)
        let signature = secret.authenticate(token)
        token.append(UInt8(ascii: "."))
        token += Base64URL.encode(signature)
        return String(decoding: token, as: UTF8.self)
    }

    /// Verifies a token: form, algorithm, signature, then the claims, in this order.
    /// - Parameter now: the present.
    /// - Throws: the first thing that is wrong.
    package static func verify(
        _ token: String,
        with secret: ServerSecret,
        at now: Timestamp
    ) throws(AuthenticationFailure) -> Claims {
        let bytes = Array(token.utf8)
        guard bytes.count <= bytesMax else { throw .tooLong }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URL.decode(parts[2]) else { throw .malformed }
        try check(header: try object(parts[0]))
        let signed = Array(bytes[..<parts[1].endIndex])
        guard constantTimeEqual(secret.authenticate(signed), signature) else { throw .badSignature }
        let reader = ClaimsReader(payload: try object(parts[1]))
        return try reader.claims(at: now)
    }

    /// Reads a part as a JSON object; a name given twice is refused, for two readers may take different ones.
    private static func object(_ part: ArraySlice<UInt8>) throws(AuthenticationFailure) -> JSONObject {
        guard let bytes = Base64URL.decode(part) else { throw .malformed }
        do {
            guard let object = try JSONValue(parsing: bytes).objectValue else { throw AuthenticationFailure.malformed }
            return object
        } catch {
            throw .malformed
        }
    }

    private static func check(header: JSONObject) throws(AuthenticationFailure) {
        guard header["alg"] == .string("HS256") else { throw .algorithmRefused }
        // RFC 7515, section 4.1.11: what is critical and not understood makes the token invalid.
        guard header["crit"] == nil else { throw .headerRefused }
        if let type = header["typ"] {
            guard let name = type.stringValue, name.lowercased() == "jwt" else { throw .headerRefused }
        }
    }

    private static func seconds(_ time: Timestamp) -> Int64 {
        min(max(time.milliseconds / 1000, 0), secondsMax)
    }
}
