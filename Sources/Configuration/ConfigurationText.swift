import JSON

/// Texts of flags and of the environment as the values that would stand in the file.
///
/// - Confinement: any
enum ConfigurationText {
    /// What cannot be read stays a text, which the check of the value then refuses.
    ///
    /// - Parameter texts: one, or several where the key takes a list.
    package static func value(of key: ConfigurationKey, _ texts: [String]) -> JSONValue {
        let text = texts.last ?? ""
        switch key {
        case .rules, .feeds, .preferences: return (try? JSONValue(parsing: Array(text.utf8))) ?? .string(text)
        case .issuers: return .array(texts.map { text in words(text).map { .object($0) } ?? .string(text) })
        case .listen, .triggers, .origins, .trustedProxies, .firebaseProject, .outboundAllow, .webhookAllow:
            return .array(texts.map { .string($0) })
        case .data, .logLevel, .logRetention, .stopTimeout, .compression, .tlsCertificate, .tlsKey,
            .outboundAuthorities, .webhookSource, .webhookSecret:
            return .string(text)
        case .loops, .heartbeat, .connectionsPerAddress, .connectionsPerUser, .peerMemory, .writeLimit:
            return Int64(text).map { .integer($0) } ?? .string(text)
        case .debugEcho, .proxyProtocol, .webhookPlain: return truth(text).map { .bool($0) } ?? .string(text)
        case .collections: return pairs(text).map { .object($0) } ?? .string(text)
        }
    }

    private static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "yes", "on": true
        case "false", "0", "no", "off": false
        default: nil
        }
    }

    /// Reads `issuer=https://id.example.org audience=film admin=true`.
    private static func words(_ text: String) -> JSONObject? {
        var object = JSONObject()
        for word in text.split(separator: " ") {
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, object[sides[0]] == nil else { return nil }
            let isGranted = sides[0] == "admin" ? truth(sides[1]) : nil
            object[sides[0]] = isGranted.map { .bool($0) } ?? .string(sides[1])
        }
        return object
    }

    /// Reads `person=people,sky=skies`.
    private static func pairs(_ text: String) -> JSONObject? {
        var object = JSONObject()
        for pair in text.split(separator: ",") {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2 else { return nil }
            object[String(sides[0])] = .string(String(sides[1]))
        }
        return object
    }
}
