import JSON
import Model

/// Reads the payload of a token whose signature was verified (RFC 7519, section 4.1).
/// - Confinement: any
struct ClaimsReader {
    /// A longer `jti` is refused: it is kept and looked up.
    private static let tokenIDBytesMax = 256

    let payload: JSONObject

    /// Checks the audience of one of the server's own tokens, then the times and the other claims.
    ///
    /// A token without an audience is valid on every server with the same secret: earlier versions of the server, and
    /// other programs that have the secret, sign such tokens.
    func claims(for own: [String], at now: Timestamp) throws(AuthenticationFailure) -> Claims {
        switch payload["aud"] {
        case nil: break
        case .string(let name)? where own.contains(name): break
        case .some: guard try audiences().contains(where: own.contains) else { throw .audienceWrong }
        }
        var claims = try claims(at: now, of: ClaimNames())
        claims.roles = try roles(payload["roles"])
        claims.commandLine = payload["act"]?["sub"]?.stringValue.flatMap { UserID($0)?.text }
        return claims
    }

    /// Checks the times, then the other claims except the roles.
    private func claims(at now: Timestamp, of names: ClaimNames) throws(AuthenticationFailure) -> Claims {
        guard let expiry = try milliseconds("exp") else { throw .expiryMissing }
        guard now.milliseconds < expiry else { throw .expired(at: expiry / 1000) }
        for name in ["nbf", "iat"] {
            if let start = try milliseconds(name), start > latest(now) { throw .notYetValid }
        }
        return Claims(
            subject: try user(names),
            scopes: try scopes(),
            expiresAt: Timestamp(milliseconds: expiry),
            tokenID: try tokenID(),
            issuedAt: try milliseconds("iat").map { Timestamp(milliseconds: $0) }
        )
    }

    /// Checks the issuer and the audience of the token, then the claims of every token, then the promises of its
    /// issuer.
    func claims(of issuer: TrustedIssuer, at now: Timestamp) throws(AuthenticationFailure) -> Claims {
        guard payload["iss"] == .string(issuer.issuer) else { throw .issuerUnknown }
        guard try audiences().contains(issuer.audience) else { throw .audienceWrong }
        var claims = try claims(at: now, of: issuer.names)
        // Issuers use this name for other things, too: a value that is not a list of texts gives no roles, and the
        // token is valid.
        claims.roles = (try? roles(claim(issuer.names.roles))) ?? []
        guard issuer.rules == .firebase else { return claims }
        // Firebase promises all three, so that a token without them is not one of its ID tokens.
        for name in ["iat", "auth_time"] {
            guard let time = try milliseconds(name) else { throw .claimInvalid(name) }
            guard time <= latest(now) else { throw .notYetValid }
        }
        return claims
    }

    /// The audiences of the token: one name or several (RFC 7519, section 4.1.3).
    func audiences() throws(AuthenticationFailure) -> [String] {
        switch payload["aud"] {
        case nil: return []
        case .string(let name): return [name]
        case .array(let values):
            let names = values.compactMap(\.stringValue)
            guard names.count == values.count else { throw .claimInvalid("aud") }
            return names
        case .null, .bool, .integer, .number, .object: throw .claimInvalid("aud")
        }
    }

    /// The last moment that an issuer's clock may show.
    private func latest(_ now: Timestamp) -> Int64 {
        now.adding(milliseconds: JSONWebToken.leewaySeconds * 1000).milliseconds
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

    /// The user of the token. An address of e-mail is only that of its owner when the issuer has verified it: everybody may give any.
    private func user(_ names: ClaimNames) throws(AuthenticationFailure) -> UserID {
        if names.user == "email", payload["email_verified"] != .bool(true) { throw .claimInvalid("email_verified") }
        guard let value = claim(names.user) else {
            throw names.user == "sub" ? .subjectMissing : .claimInvalid(names.user)
        }
        guard let text = value.stringValue, let user = names.user(text) else {
            throw names.user == "sub" ? .subjectInvalid : .claimInvalid(names.user)
        }
        return user
    }

    /// The claim of a name; where there is none, the one at the path of which the name has the parts.
    private func claim(_ name: String) -> JSONValue? {
        if let value = payload[name] { return value }
        let parts = name.split(separator: ".").map(String.init)
        guard parts.count > 1 else { return nil }
        return parts.dropFirst().reduce(payload[parts[0]]) { $0?[$1] }
    }

    private func scopes() throws(AuthenticationFailure) -> Set<String> {
        guard let value = payload["scope"] else { return [] }
        guard let text = value.stringValue else { throw .claimInvalid("scope") }
        return Set(text.split(separator: " ").map(String.init))
    }

    /// The roles that rules can name; other names in the list are ignored.
    private func roles(_ value: JSONValue?) throws(AuthenticationFailure) -> Set<RoleName> {
        guard let value else { return [] }
        guard let items = value.arrayValue, items.count <= Claims.rolesMax else { throw .claimInvalid("roles") }
        let names = items.compactMap(\.stringValue)
        guard names.count == items.count else { throw .claimInvalid("roles") }
        return Set(names.compactMap(RoleName.init))
    }

    private func tokenID() throws(AuthenticationFailure) -> String? {
        guard let value = payload["jti"] else { return nil }
        guard let text = value.stringValue, !text.isEmpty, text.utf8.count <= ClaimsReader.tokenIDBytesMax else {
            throw .claimInvalid("jti")
        }
        return text
    }
}
