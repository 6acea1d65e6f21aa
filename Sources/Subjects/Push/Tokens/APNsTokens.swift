import JSON
package import Model

/// Proves to APNs that we may send ("Establishing a token-based connection to APNs"): one token for all connections.
///
/// - Confinement: any
package struct APNsTokens: Sendable {
    /// A signed token and its age.
    ///
    /// - Confinement: any
    package struct Token: Sendable, Hashable {
        package let text: String
        /// When it was signed; see ``PushAttempt/tokenMade``.
        package let made: Timestamp

        package init(text: String, made: Timestamp) {
            self.text = text
            self.made = made
        }
    }

    private let keyID: String
    private let team: String
    private var token: Token?
    /// Whether APNs called the present token expired.
    private var isRefused = false

    /// - Parameters:
    ///   - keyID: Ten characters that Apple gave with the key.
    ///   - team: Ten characters of the developer's team.
    package init(keyID: String, team: String) {
        self.keyID = keyID
        self.team = team
    }

    /// The token, made now if there is none that is young enough.
    ///
    /// - Parameter sign: signs with ES256 and the key of the setting `apns-key`.
    /// - Throws: the error of the signing.
    package mutating func token(at now: Timestamp, sign: TokenSigning) rethrows -> Token {
        if let token, !isOld(token, at: now) { return token }
        let unsigned = UnsignedToken(
            keyID: keyID, claims: ["iss": .string(team), "iat": .integer(now.milliseconds / 1000)])
        let token = Token(text: try sign(unsigned), made: now)
        self.token = token
        isRefused = false
        return token
    }

    /// Goes on with a token of an earlier process, if it is young enough. One from the future was made before the clock
    /// went back, and is not used.
    package mutating func resume(_ kept: Token, at now: Timestamp) {
        if token == nil, kept.made <= now, !isOld(kept, at: now) { token = kept }
    }

    /// Notes that APNs called a token expired. A new one is made only if the least time between two has passed.
    package mutating func refuse(_ made: Timestamp) {
        if token?.made == made { isRefused = true }
    }

    /// A clock that was put back makes a token old, too: its `iat` would be in the future.
    private func isOld(_ token: Token, at now: Timestamp) -> Bool {
        let age = (now.milliseconds - token.made.milliseconds).magnitude
        return age >= PushLimits.apnsRenewalMilliseconds
            || isRefused && age >= PushLimits.apnsTokenMillisecondsMin
    }
}
