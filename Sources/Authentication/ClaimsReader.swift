import JSON
import Model

/// Reads the payload of a token whose signature is good already (RFC 7519, section 4.1).
/// - Confinement: any
struct ClaimsReader {
    /// A longer `jti` is refused: it is kept and looked up.
    private static let tokenIDBytesMax = 256

    let payload: JSONObject

    /// Checks the times, then the rest.
    func claims(at now: Timestamp) throws(AuthenticationFailure) -> Claims {
        guard let expiry = try milliseconds("exp") else { throw .expiryMissing }
        guard now.milliseconds < expiry else { throw .expired(at: expiry / 1000) }
        let latest = now.adding(milliseconds: JSONWebToken.leewaySeconds * 1000).milliseconds
        for name in ["nbf", "iat"] {
            if let start = try milliseconds(name), start > latest { throw .notYetValid }
        }
        return Claims(
            subject: try subject(),
            scopes: try scopes(),
            expiresAt: Timestamp(milliseconds: expiry),
            tokenID: try tokenID()
        )
    }

    /// A time in seconds since 1970, perhaps with a fraction (`NumericDate`), as milliseconds.
    private func milliseconds(_ name: String) throws(AuthenticationFailure) -> Int64? {
        switch payload[name] {
        case nil: return nil
        case .integer(let seconds):
            guard (0...JSONWebToken.secondsMax).contains(seconds) else { throw .claimInvalid(name) }
            return seconds * 1000
        case .number(let seconds):
            guard seconds >= 0, seconds <= Double(JSONWebToken.secondsMax) else { throw .claimInvalid(name) }
            return Int64(seconds * 1000)
        case .null, .bool, .string, .array, .object: throw .claimInvalid(name)
        }
    }

    private func subject() throws(AuthenticationFailure) -> UserID {
        guard let value = payload["sub"] else { throw .subjectMissing }
        guard let text = value.stringValue, let user = UserID(text) else { throw .subjectInvalid }
        return user
    }

    private func scopes() throws(AuthenticationFailure) -> Set<String> {
        guard let value = payload["scope"] else { return [] }
        guard let text = value.stringValue else { throw .claimInvalid("scope") }
        return Set(text.split(separator: " ").map(String.init))
    }

    private func tokenID() throws(AuthenticationFailure) -> String? {
        guard let value = payload["jti"] else { return nil }
        guard let text = value.stringValue, !text.isEmpty, text.utf8.count <= ClaimsReader.tokenIDBytesMax else {
            throw .claimInvalid("jti")
        }
        return text
    }
}
