package import Crypto
import Digits
import Files
import JSON
package import Model

/// The last token that was sent to APNs, in a file that only its owner can read: APNs refuses a server that makes a new
/// one too soon (`TooManyProviderTokenUpdates`), and so a restart must not make one.
///
/// The file is one line, the token in compact form (RFC 7515, section 7.1). It is no loss when it is gone, so a backup
/// does not have it.
/// - Confinement: any; blocks on the disk
package struct APNsTokenFile: Sendable {
    /// The content of the file.
    /// - Confinement: any
    package enum Found: Sendable, Hashable {
        /// There is no file.
        case nothing
        /// A token of the present key.
        case token(String, made: Timestamp)
        /// Something else, with the reason as a phrase.
        case unusable(reason: String)
    }

    /// The file's name in the data folder.
    package static let fileName = "apns-token"
    /// A token has about 200 bytes.
    private static let bytesMax = 2048

    private let file: PrivateFile

    /// Names the file of a data folder; nothing is opened.
    package init(inFolder folder: String) {
        file = PrivateFile(path: (folder.hasSuffix("/") ? folder : folder + "/") + Self.fileName)
    }

    /// Where it lies.
    package var path: String { file.path }

    /// Reads the file. Its age is for the caller to judge.
    /// - Parameters:
    ///   - key: The key that must have signed the token.
    ///   - keyID: Its header's `kid`.
    ///   - team: Its claim `iss`.
    package func load(signedWith key: SigningKey, keyID: String, team: String) -> Found {
        let bytes: [UInt8]?
        do {
            bytes = try file.read(bytesMax: Self.bytesMax)
        } catch {
            return .unusable(reason: error.description)
        }
        guard let bytes else { return .nothing }
        let text = String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
        guard let token = try? CompactToken(text), let claims = try? token.payload(),
            let issued = claims["iat"]?.integerValue, (0...JSONWebToken.secondsMax).contains(issued)
        else { return .unusable(reason: "\(path) is not a token for APNs") }
        guard token.keyID == keyID, claims["iss"]?.stringValue == team, token.algorithm == key.algorithm.rawValue,
            let verification = try? VerificationKey(key.publicKey),
            verification.verifies(token.signature, of: token.signed)
        else { return .unusable(reason: "\(path) is from another key, key id or team") }
        return .token(text, made: Timestamp(milliseconds: issued * 1000))
    }

    /// Puts a token in the place of the one before, whole or not at all.
    package func keep(_ token: String) throws(ServerSecretError) {
        let name = ".\(Self.fileName)." + Base64.url.text(of: try SecureRandom.secret(12))
        do {
            try file.replace(Array(token.utf8) + [UInt8(ascii: "\n")], temporaryName: name)
        } catch {
            throw .file(error.description)
        }
    }
}
