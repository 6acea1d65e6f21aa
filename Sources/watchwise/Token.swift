import ArgumentParser
import Authentication
import Foundation
import Model

/// `watchwise token`
struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print a token for a user.")

    @Argument var user: String
    @Flag var admin = false
    @Option var data = "watchwise-data"

    func run() throws {
        guard let user = UserID(user) else { throw ValidationError("USER must be \(UserID.form)") }
        let secret = try ServerSecret.loadOrCreate(inFolder: data)
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let claims = Claims(
            subject: user, scopes: admin ? ["admin"] : [], expiresAt: now.adding(milliseconds: 86_400_000))
        Terminal.line(JSONWebToken.sign(claims, issuedAt: now, with: secret))
    }
}
