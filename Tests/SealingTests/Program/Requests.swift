import Authentication
import Crypto
import Digits
import JSON
import Model
import TestSupport

/// The requests that the program answers. Bytes are base64url.
struct Requests {
    private let issuer: Issuer

    init() throws { issuer = try Issuer() }

    func answer(_ request: JSONValue) throws -> JSONValue {
        switch request["do"]?.stringValue {
        case "seal": try seal(request)
        case "sign": try sign(request)
        case "keys": try withKeys(request) { ["keys": .array($0.publicKeys.map { .string($0) })] }
        case "authorization": try withKeys(request) { try authorization(request, $0) }
        case let name: throw Mistake("there is no request \(name ?? "without a name")")
        }
    }

    /// `p256dh`, `auth` and `plaintext` give `body`, or `refused` with the field and `why`.
    private func seal(_ request: JSONValue) throws -> JSONValue {
        let keys: DeviceKeys
        do throws(DeviceKeys.Problem) {
            keys = try DeviceKeys(p256dh: bytes(request, "p256dh"), auth: bytes(request, "auth"))
        } catch {
            return ["refused": .string(error.field), "why": .string(error.description)]
        }
        let body = try MessageSealing.seal(bytes(request, "plaintext"), for: keys)
        return ["body": .string(Base64.url.text(of: body))]
    }

    /// `algorithm`, `claims` and perhaps `keyID` give `token` and the public `key`, as a JSON Web Key.
    private func sign(_ request: JSONValue) throws -> JSONValue {
        let algorithm = request["algorithm"]?.stringValue
        guard let key = issuer.keys.first(where: { $0.key.algorithm.rawValue == algorithm })?.key else {
            throw Mistake("there is no algorithm \(algorithm ?? "without a name")")
        }
        let keyID = request["keyID"]?.stringValue
        let token = try JSONWebToken.sign(request["claims"] ?? .null, keyID: keyID, with: key)
        return ["token": .string(token), "key": Issuer.entry(key, keyID: keyID)]
    }

    /// `publicKey`, `origin`, `contact` and `expires` (seconds since 1970) give `header`, which may be null.
    private func authorization(_ request: JSONValue, _ keys: VAPIDKeys) throws -> JSONValue {
        let header = try keys.authorization(
            publicKey: text(request, "publicKey"), origin: text(request, "origin"), contact: text(request, "contact"),
            expiresAt: Timestamp(seconds: request["expires"]?.integerValue ?? 0))
        return ["header": header.map { .string($0) } ?? .null]
    }

    /// `file` is made if it is absent, after a rotation if `rotates` is true; or the answer is `refused`.
    private func withKeys(_ request: JSONValue, _ body: (VAPIDKeys) throws -> JSONValue) throws -> JSONValue {
        let path = text(request, "file")
        let keys: VAPIDKeys
        do throws(ServerSecretError) {
            keys =
                request["rotates"]?.boolValue == true
                ? try VAPIDKeys.rotate(path: path) : try VAPIDKeys.loadOrCreate(path: path)
        } catch {
            return ["refused": .string(error.description)]
        }
        return try body(keys)
    }

    private func text(_ request: JSONValue, _ name: String) -> String { request[name]?.stringValue ?? "" }

    private func bytes(_ request: JSONValue, _ name: String) -> [UInt8] {
        Base64.url.decode(Array(text(request, name).utf8)) ?? []
    }
}
