package import Model

/// The meaning of an answer for the push, for the device, and for the service. No I/O; time and chance are parameters.
///
/// - Confinement: any
package struct PushVerdict: Sendable, Hashable {
    /// The end of this push to this device, or its next try.
    ///
    /// - Confinement: any
    package enum Outcome: Sendable, Hashable {
        /// The service took it.
        case sent
        /// It is sent again.
        case again(at: Timestamp, as: PushVariant)
        /// This device does not get it; ``PushVerdict/line`` says why. Nobody could send it by hand.
        case dropped
        /// It becomes a dead letter with ``PushVerdict/line`` as its reason: our message is wrong.
        case dead
        /// Its lifetime is over. That is no dead letter.
        case expired
    }

    /// The consequence for the device.
    ///
    /// - Confinement: any
    package enum DeviceEffect: Sendable, Hashable {
        /// It is kept. With `sent`, its problem and its pause end.
        case kept
        /// It is removed; the text is the reason.
        case removed(reason: String)
        /// The problem is noted.
        case problem(DeviceProblem)
        /// It belongs to this environment.
        case corrected(APNsEnvironment)
        /// It gets nothing before this time; see ``PushAttempt/devicePause``.
        case waits(until: Timestamp, milliseconds: Int64)
    }

    /// The consequence for the origin of a Web Push endpoint, or for the platform.
    ///
    /// - Confinement: any
    package enum ServiceEffect: Sendable, Hashable {
        case none
        /// It gets nothing before this time; see ``PushAttempt/servicePause``.
        case waits(until: Timestamp, milliseconds: Int64)
        /// The token is forgotten, and the next request gets a new one.
        case newToken
        /// Our key is refused. It gets nothing before this time, or until the key's file changes or SIGHUP comes.
        case keyRefused(until: Timestamp)
        /// A token is called old that is not: our clock is wrong. It gets nothing before this time.
        case clockWrong(until: Timestamp)
        /// The next request needs another connection.
        case newConnection
    }

    package let outcome: Outcome
    package let device: DeviceEffect
    package let service: ServiceEffect
    /// The status of the answer; nil when there was none.
    package let status: Int?
    /// One line for lists: `410 Unregistered`.
    package let line: String

    init(
        _ outcome: Outcome, device: DeviceEffect = .kept, service: ServiceEffect = .none, _ answer: PushAnswer,
        line: String? = nil
    ) {
        self.outcome = outcome
        self.device = device
        self.service = service
        if case .answered(let response) = answer { status = response.status } else { status = nil }
        self.line = line ?? answer.line
    }

    /// Whether the service itself is in trouble, so that it gets fewer requests at once; see ``PushWindow``.
    package var isFailure: Bool {
        switch status {
        case nil, 429: true
        case 507: false
        case let status?: status >= 500
        }
    }
}
