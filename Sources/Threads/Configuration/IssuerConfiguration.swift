package import Authentication
package import JSON
import Model

/// The description of an issuer whose tokens the server shall accept.
///
/// - Confinement: any
package struct IssuerConfiguration: Sendable, Hashable {
    /// Where the keys are.
    ///
    /// - Confinement: any
    package enum Keys: Sendable, Hashable {
        /// The server fetches them.
        case url(String)
        /// The server reads them from the disk.
        case file(path: String)
    }

    /// Where Google publishes the keys of Firebase's ID tokens.
    static let firebaseKeys =
        "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"

    /// The forms of a description, for refusals.
    package static let form =
        "{\"issuer\": …, \"audience\": …, \"keys\": an https URL or a file, \"admin\": true or false, "
        + "\"scopes\": words of \(Scope.list), \"user\": the claim with the user, \"prefix\": a text before each user id, "
        + "\"spelling\": plain or escaped, \"roles\": the claim with the roles} or {\"firebase\": PROJECT} "
        + "(as a flag: issuer=… audience=… keys=… scopes=WORD+WORD user=… prefix=… spelling=escaped roles=…)"

    private let issuer: String
    private let audience: String
    private let isFirebase: Bool
    private let scopes: Set<Scope>
    private let names: ClaimNames
    /// Where the keys are.
    package let keys: Keys

    /// Firebase's ID tokens for one project.
    ///
    /// - Returns: nil when the text cannot be the id of a project.
    package init?(firebaseProject project: String) {
        self.init(["firebase": .string(project)])
    }

    /// Reads an object of the ``form``; `keys` may also stand beside `firebase`, for a mirror.
    ///
    /// - Returns: nil when a member is missing, wrong, or unknown.
    package init?(_ object: JSONObject) {
        var rest = object
        func text(_ name: String) -> String? {
            defer { rest[name] = nil }
            return rest[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        let project = text("firebase")
        if let project {
            guard project.utf8.count <= 100, project.utf8.allSatisfy(Self.isProjectByte) else { return nil }
        }
        guard let issuer = project.map({ _ in "" }) ?? text("issuer"), let audience = project ?? text("audience"),
            let keys = (text("keys") ?? project.map { _ in Self.firebaseKeys }).flatMap(Self.keys)
        else { return nil }
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
        isFirebase = project != nil
        guard let scopes = Self.scopes(rest["scopes"]) else { return nil }
        switch rest["admin"] {
        case nil, .bool(false): self.scopes = scopes
        // The word alone opens everything; a token may also name single words.
        case .bool(true): self.scopes = Set(Scope.allCases)
        default: return nil
        }
        rest["admin"] = nil
        rest["scopes"] = nil
        guard let names = Self.names(&rest) else { return nil }
        self.names = names
        guard rest.members.isEmpty else { return nil }
    }

    /// The `iss` of its tokens.
    package var name: String { trusted.issuer }

    /// The issuer, without keys yet.
    package var trusted: TrustedIssuer {
        var trusted =
            isFirebase
            ? TrustedIssuer(firebaseProject: audience, keys: nil)
            : TrustedIssuer(issuer: issuer, audience: audience, keys: nil)
        trusted.grantableScopes = scopes
        trusted.names = names
        return trusted
    }

    /// Which claims say who the bearer is; takes their members out of the object.
    ///
    /// - Returns: nil when one is wrong.
    private static func names(_ rest: inout JSONObject) -> ClaimNames? {
        var names = ClaimNames()
        for (member, part) in [("user", \ClaimNames.user), ("prefix", \.prefix), ("roles", \.roles)] {
            guard let value = rest[member] else { continue }
            guard let text = value.stringValue, (1...100).contains(text.utf8.count) else { return nil }
            names[keyPath: part] = text
            rest[member] = nil
        }
        if let value = rest["spelling"] {
            guard let spelling = value.stringValue.flatMap(ClaimNames.Spelling.init) else { return nil }
            names.spelling = spelling
            rest["spelling"] = nil
        }
        // A prefix is the beginning of user ids.
        return names.prefix.isEmpty || UserID(names.prefix + "a") != nil ? names : nil
    }

    /// The words that its tokens may have: a list, or a text with `+` between them.
    ///
    /// - Returns: nil when one of them is no scope.
    private static func scopes(_ value: JSONValue?) -> Set<Scope>? {
        let words: [String]?
        switch value {
        case nil: words = []
        case .string(let text): words = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        case .array(let values): words = values.map { $0.stringValue ?? "" }
        default: words = nil
        }
        guard let words else { return nil }
        let scopes = words.compactMap(Scope.init)
        return scopes.count == words.count ? Set(scopes) : nil
    }

    /// A URL without TLS must be of this machine: elsewhere anybody on the way could replace the keys.
    private static func keys(_ text: String) -> Keys? {
        guard text.contains("://") else { return .file(path: text) }
        let parts = text.lowercased().split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 2, parts[1].isEmpty, !parts[2].isEmpty, !parts[2].contains(where: { "@?#\\".contains($0) })
        else { return nil }
        let isOwn = ["127.0.0.1", "[::1]", "localhost"].contains { parts[2] == $0 || parts[2].hasPrefix($0 + ":") }
        return parts[0] == "https:" || (parts[0] == "http:" && isOwn) ? .url(text) : nil
    }

    private static func isProjectByte(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || "-.:".utf8.contains(byte)
    }
}
