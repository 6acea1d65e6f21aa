import JSON

/// The words of a token about itself, for the log of a server that refused it.
///
/// Nothing of it was verified. The token cannot be made again from it.
/// - Confinement: any
package struct TokenClues: Sendable, Hashable {
    /// A longer value is cut off: anybody may send it.
    private static let charactersMax = 100

    /// `iss`.
    package private(set) var issuer: String?
    /// `aud`, several with commas between.
    package private(set) var audience: String?
    /// `kid`.
    package private(set) var keyID: String?
    /// `alg`.
    package private(set) var algorithm: String?

    /// Reads them; a text that is no token has none.
    package init(_ token: String) {
        guard let token = try? CompactToken(token) else { return }
        (algorithm, keyID) = (Self.cut(token.algorithm), Self.cut(token.keyID))
        guard let payload = try? token.payload() else { return }
        issuer = Self.cut(payload["iss"]?.stringValue)
        audience = Self.cut(try? ClaimsReader(payload: payload).audiences().joined(separator: ","))
    }

    private static func cut(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return text.count > charactersMax ? text.prefix(charactersMax) + "…" : text
    }
}
