package import Model

/// When attempts to deliver a webhook are made, and how long each may take.
///
/// - Confinement: any
package struct WebhookPace: Sendable, Hashable {
    /// Milliseconds after each failed attempt until the next one; after the last there is none.
    package var retries = WebhookLimits.retryMilliseconds
    /// The most percent that are added to such a time, by chance.
    package var jitterPercent = WebhookLimits.retryJitterPercent
    /// Bounds of the wait that a receiver may ask for.
    package var retryAfter = WebhookLimits.retryAfterMilliseconds
    package var connectMilliseconds = WebhookLimits.connectMilliseconds
    package var answerMilliseconds = WebhookLimits.answerMilliseconds
    package var resultRepeatMilliseconds = WebhookLimits.resultRepeatMilliseconds
    package var secretRetryMilliseconds = WebhookLimits.secretRetryMilliseconds

    package init() {}

    /// Milliseconds until the next attempt; nil when there is none.
    ///
    /// - Parameter attempts: the number of failed attempts, from 1.
    package func pause(afterAttempts attempts: Int64, using random: inout some RandomNumberGenerator) -> Int64? {
        guard attempts >= 1, attempts <= Int64(retries.count) else { return nil }
        let pause = retries[Int(attempts - 1)]
        return pause + .random(in: 0...max(0, pause / 100 * jitterPercent), using: &random)
    }
}

/// How webhooks are sent.
///
/// - Confinement: any
package struct WebhookConfiguration: Sendable, Hashable {
    /// `source` of the CloudEvents.
    package var source = "/watchwise"
    /// Addresses besides the public internet that they may go to.
    package var allow = AddressRanges.none
    /// Whether plain http goes to public addresses, too.
    package var mayBePlain = false
    /// File with the secrets; in the data folder when nil.
    package var secretPath: String?
    package var pace = WebhookPace()

    package init() {}

    /// Whether a text may be the `source`: a URI reference that is not empty (CloudEvents 1.0, section 3.1.1).
    package static func isSource(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
    }
}
