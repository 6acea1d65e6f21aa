import Authentication
import Configuration
import Crypto
import Model
import Push
import Telemetry

/// The token for APNs, which outlives the process in the file `apns-token`.
///
/// - Confinement: store (the thread of pushes); the first token and each new one block on the disk
struct KeptAPNsTokens {
    private let apns: APNsConfiguration
    private let file: APNsTokenFile
    private let log: ServerLog
    private var tokens: APNsTokens
    private var isResumed = false

    init(_ apns: APNsConfiguration, folder: String, _ log: ServerLog) {
        self.apns = apns
        self.log = log
        file = APNsTokenFile(inFolder: folder)
        tokens = APNsTokens(keyID: apns.keyID, team: apns.team)
    }

    /// The token, which is in the file before anybody sends it.
    ///
    /// - Parameter key: The present key.
    /// - Throws: the error of the signing.
    mutating func token(signedWith key: SigningKey, at now: Timestamp) throws -> APNsTokens.Token {
        if !isResumed { resume(key, at: now) }
        var isNew = false
        let token = try tokens.token(at: now) { unsigned in
            isNew = true
            return try JSONWebToken.sign(unsigned.claims, keyID: unsigned.keyID, with: key)
        }
        if isNew { keep(token) }
        return token
    }

    /// Forgets the token of an earlier key. A file that was only written again has the same key, and its token stays.
    mutating func changeKey() {
        tokens = APNsTokens(keyID: apns.keyID, team: apns.team)
        isResumed = false
    }

    /// Notes that APNs called a token expired.
    mutating func refuse(_ made: Timestamp) { tokens.refuse(made) }

    private mutating func resume(_ key: SigningKey, at now: Timestamp) {
        isResumed = true
        switch file.load(signedWith: key, keyID: apns.keyID, team: apns.team) {
        case .nothing: return
        case .token(let text, let made): tokens.resume(APNsTokens.Token(text: text, made: made), at: now)
        case .unusable(let reason): log.info("the kept token for APNs is replaced", ["reason": reason])
        }
    }

    private func keep(_ token: APNsTokens.Token) {
        do {
            try file.keep(token.text)
        } catch {
            log.warning(
                "the token for APNs is not kept, so APNs may refuse the next start for 20 minutes",
                ["error": error.description])
        }
    }
}
