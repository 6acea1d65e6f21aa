import Authentication
import Digits
import JSON
import Model

/// JSON Web Tokens: as a whole (first byte even), or as the claims of a token that the target signs (odd), so that the
/// code after the check of the signature is reached. An accepted token has not expired, and its claims stay the same
/// when they are signed again.
struct TokenFuzz: FuzzTarget {
    static let name = "Token"

    private let secret: ServerSecret
    private let now = Timestamp(seconds: 1_800_000_000)

    init() throws {
        // A fixed key: inputs with a signature stay valid.
        guard let secret = ServerSecret(hexadecimal: Array(repeating: UInt8(ascii: "5"), count: 64)) else {
            throw Finding(description: "no key")
        }
        self.secret = secret
    }

    func check(_ input: [UInt8]) throws {
        guard let options = input.first else { return }
        let bytes = Array(input.dropFirst())
        if let decoded = Base64.url.decode(bytes) {
            try expect(Base64.url.encode(decoded), equals: bytes, "another text for the same bytes")
        }
        try expect(Base64.url.decode(Base64.url.encode(bytes)), equals: bytes, "base64url")
        let token = options & 1 == 0 ? String(decoding: bytes, as: UTF8.self) : signed(payload: bytes)
        guard let claims = try? JSONWebToken.verify(token, with: secret, at: now) else { return }
        try expect(claims.expiresAt > now, "expired at \(claims.expiresAt)")
        let whole = Timestamp(milliseconds: claims.expiresAt.milliseconds / 1000 * 1000)
        guard whole > now else { return }
        let again = JSONWebToken.sign(claims, issuedAt: now, with: secret)
        // Escapes may make a token longer than the original.
        guard again.utf8.count <= JSONWebToken.bytesMax else { return }
        var expected = claims
        expected.expiresAt = whole
        expected.issuedAt = now
        try expect(try JSONWebToken.verify(again, with: secret, at: now), equals: expected, "signed anew")
    }

    private func signed(payload: [UInt8]) -> String {
        let dot = UInt8(ascii: ".")
        let start = Base64.url.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + [dot] + Base64.url.encode(payload)
        return String(decoding: start + [dot] + Base64.url.encode(secret.authenticate(start)), as: UTF8.self)
    }
}
