package import Crypto
import Digits
package import JSON
package import Model

/// JSON Web Tokens (RFC 7519) in compact form, signed with HMAC-SHA-256 by the server's own secret, or for others with a
/// private key.
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
        if let name = claims.commandLine { payload["act"] = ["sub": .string(name)] }
        let header: JSONValue = ["alg": .string(CompactToken.hmac), "typ": "JWT"]
        return compact(header: header.bytes, payload: payload.bytes, signedBy: secret.authenticate)
    }

    /// Signs claims for somebody who has the public key: a push service (RFC 8292), or a server that gives access for a
    /// token (RFC 7523).
    /// - Parameters:
    ///   - claims: A JSON object.
    ///   - keyID: The header's `kid`, where the receiver knows several keys.
    ///   - key: Its algorithm becomes the header's `alg`.
    /// - Returns: the token, ASCII.
    package static func sign(
        _ claims: JSONValue, keyID: String? = nil, with key: SigningKey
    ) throws(TLSError) -> String {
        var header: JSONValue = ["alg": .string(key.algorithm.rawValue), "typ": "JWT"]
        if let keyID { header["kid"] = .string(keyID) }
        return try compact(header: header.bytes, payload: claims.bytes, signedBy: key.sign)
    }

    /// The compact form of any header and payload (RFC 7515, section 7.1): a signed text that need not be a valid token.
    /// - Parameter sign: Makes the signature of the first two parts.
    package static func compact<Failure: Error>(
        header: [UInt8], payload: [UInt8], signedBy sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> String {
        var token = Base64.url.encode(header)
        token.append(UInt8(ascii: "."))
        token += Base64.url.encode(payload)
        let signature = try sign(token)
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
