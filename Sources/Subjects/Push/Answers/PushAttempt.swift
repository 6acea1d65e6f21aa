package import Model

/// The difference of a push that is sent again, because of the answer before.
///
/// - Confinement: any
package enum PushVariant: String, Sendable, Hashable, CaseIterable {
    /// As the device registered.
    case usual
    /// As for the privacy `hidden`: the service called it too large. Pushes to a device of that privacy are always this
    /// variant.
    case hidden
    /// To the other service of Apple: this one does not know the token.
    case otherEnvironment
}

/// The facts about one request that decide, with its answer, what happens next.
///
/// - Confinement: any
package struct PushAttempt: Sendable, Hashable {
    /// The requests for this device and job, with this one: 1, 2, 3 …
    package var number: Int
    /// The time of the answer.
    package var now: Timestamp
    /// When the push is over.
    package var ends: Timestamp
    /// When the VAPID, APNs or access token of the request was made.
    package var tokenMade: Timestamp
    /// When the device registered last.
    package var registered: Timestamp
    package var variant: PushVariant
    /// The problem that is noted for the device; a push that was sent removes it.
    package var problem: DeviceProblem?
    /// The last pause of this device for too many pushes, in milliseconds; nil after a push that was sent.
    package var devicePause: Int64?
    /// The same of the whole platform for a quota that is used up.
    package var servicePause: Int64?

    package init(
        number: Int, now: Timestamp, ends: Timestamp, tokenMade: Timestamp, registered: Timestamp,
        variant: PushVariant = .usual, problem: DeviceProblem? = nil, devicePause: Int64? = nil,
        servicePause: Int64? = nil
    ) {
        self.number = number
        self.now = now
        self.ends = ends
        self.tokenMade = tokenMade
        self.registered = registered
        self.variant = variant
        self.problem = problem
        self.devicePause = devicePause
        self.servicePause = servicePause
    }

    /// The next try at a time, or the end where the push is over by then.
    func again(at time: Timestamp, as next: PushVariant? = nil) -> PushVerdict.Outcome {
        time < ends ? .again(at: time, as: next ?? variant) : .expired
    }

    /// The next try after a pause.
    func again(after milliseconds: Int64) -> PushVerdict.Outcome { again(at: now.adding(milliseconds: milliseconds)) }

    /// Whether the token is older than this. After a change of the clock nobody knows, and it counts as old.
    func isTokenOlder(than milliseconds: Int64) -> Bool {
        let (age, isMore) = now.milliseconds.subtractingReportingOverflow(tokenMade.milliseconds)
        return isMore || age < 0 || age > milliseconds
    }
}
