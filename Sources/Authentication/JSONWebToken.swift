import Digits
import JSON
package import Model

/// JSON Web Tokens (RFC 7519) in compact form, signed with HMAC-SHA-256 by the server's own secret.
///
/// `TokenVerifier` also accepts tokens of other issuers.
/// - Confinement: any
package enum JSONWebToken {
    /// A longer token is refused without reading it; the server's own have about 200 bytes.
    package static let bytesMax = 8192
    /// The clocks of issuers may be ahead of ours by this time, for `nbf` and `iat`; not for `exp`.
    package static let leewaySeconds: Int64 = 60
    /// The last second of the year 9999.
    static let secondsMax: Int64 = 253_402_300_799

    /// Signs claims.
    /// - Parameters:
    ///   - issuedAt: The present time, which becomes `iat`.
    ///   - audience: The only servers that accept the token; nil for every server with this secret.
    /// - Returns: the token, ASCII.
    package static func sign(
        _ claims: Claims, issuedAt: Timestamp, with secret: ServerSecret, audience: String? = nil
    ) -> String {
        var payload: JSONValue = [
            "sub": .string(claims.subject.text), "aud": .string(audience ?? secret.audience),
        ]
        if !claims.scopes.isEmpty { payload["scope"] = .string(claims.scopes.sorted().joined(separator: " ")) }
        if !claims.roles.isEmpty { payload["roles"] = .array(claims.roles.sorted().map { .string($0.text) }) }
        payload["iat"] = .integer(seconds(issuedAt))
        payload["exp"] = .integer(seconds(claims.expiresAt))
        if let tokenID = claims.tokenID { payload["jti"] = .string(tokenID) }
        let header: JSONValue = ["alg": .string(CompactToken.hmac), "typ": "JWT"]
        var token = Base64.url.encode(header.bytes)
        token.append(UInt8(ascii: "."))
        token += Base64.url.encode(payload.bytes)
        let signature = secret.authenticate(token)
        token.append(UInt8(ascii: "."))
        token += Base64.url.encode(signature)
        return String(decoding: token, as: UTF8.self)
    }

    /// Verifies one of the server's own tokens.
    /// - Parameter now: The present time.
    /// - Throws: the first problem, in the order of `TokenVerifier`.
    package static func verify(
        _ token: String,
        with secret: ServerSecret,
        at now: Timestamp
    ) throws(AuthenticationFailure) -> Claims {
        try TokenVerifier(secret: secret).verify(token, at: now)
    }

    private static func seconds(_ time: Timestamp) -> Int64 {
        min(max(time.milliseconds / 1000, 0), secondsMax)
    }
}
