import JSON
package import Model

/// The access token of FCM, which Google gives for a signed assertion (RFC 7523, section 2.1).
///
/// One request fetches it, however many pushes wait: ``need(at:)`` says so once, and then again only after the answer.
///
/// - Confinement: any
package struct FCMTokens: Sendable {
    /// An access token and its time.
    ///
    /// - Confinement: any
    package struct Token: Sendable, Hashable {
        package let text: String
        /// When its answer came; see ``PushAttempt/tokenMade``.
        package let made: Timestamp
        package let ends: Timestamp
    }

    /// The token for a push, and the next step.
    ///
    /// - Confinement: any
    package struct Need: Sendable, Hashable {
        /// The token to send with; nil when pushes must wait for one.
        package let token: Token?
        /// Whether the caller must send the request for a new token now, and report its end by ``FCMTokens/end(_:at:)``.
        package let fetches: Bool
    }

    private var token: Token?
    private var isFetching = false
    /// The earliest time of the next request, after one that failed.
    private var fetchFrom: Timestamp?
    private var failures = 0

    package init() {}

    /// The token for a push at this time, and whether to fetch a new one.
    package mutating func need(at now: Timestamp) -> Need {
        let usable = token.flatMap { $0.made <= now && now < $0.ends ? $0 : nil }
        let rest = usable.map { $0.ends.milliseconds - now.milliseconds } ?? 0
        let isDue = rest <= PushLimits.fcmRenewalMilliseconds && now >= fetchFrom ?? now
        let fetches = isDue && !isFetching
        if fetches { isFetching = true }
        return Need(token: usable, fetches: fetches)
    }

    /// Notes the end of the request for a token.
    ///
    /// - Parameter answer: see ``FCMGrant/Answer``.
    /// - Returns: when the next request may begin, after one that failed.
    @discardableResult
    package mutating func end(_ answer: FCMGrant.Answer, at now: Timestamp) -> Timestamp? {
        isFetching = false
        switch answer {
        case .token(let token):
            self.token = token
            fetchFrom = nil
            failures = 0
            return nil
        case .refused: fetchFrom = now.adding(milliseconds: PushLimits.keyMilliseconds)
        case .failed:
            let steps = PushLimits.retryMilliseconds
            let step = min(steps[min(failures, steps.count - 1)], PushLimits.keyMilliseconds)
            fetchFrom = now.adding(milliseconds: step)
            failures += 1
        }
        return fetchFrom
    }

    /// Forgets a token that FCM refused.
    package mutating func forget(_ made: Timestamp) {
        if token?.made == made { token = nil }
    }
}
