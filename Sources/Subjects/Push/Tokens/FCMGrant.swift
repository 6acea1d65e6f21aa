import Digits
import JSON
package import Model

/// The request for an access token of FCM ("Using OAuth 2.0 for server to server applications").
///
/// - Confinement: any
package struct FCMGrant: Sendable, Hashable {
    /// The meaning of the answer.
    ///
    /// - Confinement: any
    package enum Answer: Sendable, Hashable {
        case token(FCMTokens.Token)
        /// The key is not accepted: the operator must act.
        case refused(reason: String)
        /// Worth another try.
        case failed(reason: String)
    }

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// A longer life than Google ever gives; a larger number is not believed.
    private static let secondsMax: Int64 = 86_400

    private let email: String
    private let keyID: String?
    private let tokenURL: String

    /// - Parameters:
    ///   - email: `client_email` of the service account's file.
    ///   - keyID: `private_key_id` of the same.
    ///   - tokenURL: `token_uri` of the same.
    package init(email: String, keyID: String?, tokenURL: String) {
        self.email = email
        self.keyID = keyID
        self.tokenURL = tokenURL
    }

    /// The assertion, to be signed with RS256.
    package func assertion(at now: Timestamp) -> UnsignedToken {
        let seconds = now.milliseconds / 1000
        return UnsignedToken(
            keyID: keyID,
            claims: [
                "iss": .string(email), "scope": .string(Self.scope), "aud": .string(tokenURL),
                "iat": .integer(seconds), "exp": .integer(seconds + PushLimits.fcmAssertionMilliseconds / 1000),
            ])
    }

    /// The request, with its assertion signed.
    ///
    /// - Throws: the error of the signing.
    package func request(at now: Timestamp, sign: TokenSigning) rethrows -> PushRequest {
        let signed = try sign(assertion(at: now))
        let form = "grant_type=\(PercentEncoding.encode(Self.grantType))&assertion=\(PercentEncoding.encode(signed))"
        return PushRequest(
            url: tokenURL,
            fields: [PushRequest.Field("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(form.utf8), gone: [])
    }

    /// Reads the answer (RFC 6749, sections 5.1 and 5.2).
    package static func read(_ answer: PushAnswer, at now: Timestamp) -> Answer {
        guard case .answered(let response) = answer else { return .failed(reason: answer.line) }
        let object = response.json
        if response.status == 200, let text = object["access_token"]?.stringValue,
            Identifier.isVisibleASCII(text, bytesMax: FieldLimits.tokenBytesMax),
            let seconds = object["expires_in"]?.integerValue, (1...secondsMax).contains(seconds)
        {
            return .token(FCMTokens.Token(text: text, made: now, ends: now.adding(milliseconds: seconds * 1000)))
        }
        let name = object["error"]?.stringValue.map { " " + AnswerText.line($0) } ?? ""
        let reason = "\(response.status)\(name)"
        let isRefused = (400...499).contains(response.status) && ![408, 429].contains(response.status)
        return isRefused ? .refused(reason: reason) : .failed(reason: reason)
    }
}
