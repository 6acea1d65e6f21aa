import Authentication
import Model
import Outbound

extension OutboundRequest {
    /// The characters of the longest name of a user.
    private static let nameCharactersMax = 128

    /// The fields with which a server calls another one that has the same secret.
    ///
    /// - Parameter name: of the server; the audit of the other one has it.
    static func fields(
        of errand: NodeErrand, as name: String, _ secret: ServerSecret, at now: Timestamp
    ) -> [Field] {
        guard let subject = UserID(String(name.prefix(nameCharactersMax))) else { return [] }
        let claims = Claims(
            subject: subject, scopes: [errand.rawValue],
            expiresAt: now.adding(milliseconds: NodeErrand.tokenMilliseconds))
        return [Field("Authorization", "Bearer \(JSONWebToken.sign(claims, issuedAt: now, with: secret))")]
    }
}
