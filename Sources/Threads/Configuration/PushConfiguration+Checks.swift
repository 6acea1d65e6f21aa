import Model

extension PushConfiguration {
    /// Checks settings that belong together.
    ///
    /// - Throws: ``ConfigurationProblem`` naming the option that is missing.
    func checkTogether() throws(ConfigurationProblem) {
        let apns = apnsSettings
        try Self.check(
            needed: [
                ("apns-key", apns.keyPath != nil), ("apns-key-id", apns.keyID != nil), ("apns-team", apns.team != nil),
                ("apns-topics", !apns.topics.isEmpty),
            ],
            extra: [("apns-critical", apns.allowsCritical), ("apns-url", apns.url != nil)])
        try Self.check(
            needed: [("fcm-service-account", fcmSettings.serviceAccountPath != nil)],
            extra: [("fcm-url", fcmSettings.url != nil)])
    }

    /// Where one setting of a platform is given, all that the platform needs must be.
    private static func check(
        needed: [(key: String, isGiven: Bool)], extra: [(key: String, isGiven: Bool)]
    ) throws(ConfigurationProblem) {
        guard let given = (needed + extra).first(where: \.isGiven), let missing = needed.first(where: { !$0.isGiven })
        else { return }
        throw ConfigurationProblem(place: flag(missing.key), message: "is required with \(flag(given.key))")
    }

    private static func flag(_ key: String) -> String { SettingTable.setting(key)?.flag ?? key }

    /// Whether a text says how to reach the operator: `mailto:NAME@HOST`, or an https address.
    static func isContact(_ text: String) -> Bool {
        guard text.utf8.count <= PushLimits.contactBytesMax else { return false }
        guard text.hasPrefix("mailto:") else { return WebAddress(text)?.isEncrypted == true }
        let address = text.dropFirst("mailto:".count)
        let sides = address.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ !$0.isEmpty }) else { return false }
        return address.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"\"<>\\^`{|}#?".utf8.contains($0) }
    }

    /// Whether a text has the form of the ids that Apple gives to keys and teams.
    static func isAppleID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) }
    }

    /// Whether a text can be an app's bundle id.
    static func isBundleID(_ text: String) -> Bool {
        (1...PushLimits.topicBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.".utf8.contains($0) }
    }

    /// Whether a text is the address of a server, without a path: https, or on this machine.
    static func isService(_ text: String) -> Bool {
        guard let address = WebAddress(text), address.isFitForSecrets else { return false }
        return text.lowercased().filter { $0 == "/" }.count == 2 && !text.contains("?")
    }
}
