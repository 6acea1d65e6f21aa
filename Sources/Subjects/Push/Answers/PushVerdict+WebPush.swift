import Model

extension PushVerdict {
    /// The table of Web Push and UnifiedPush.
    ///
    /// A status that RFC 8030 does not know is tried again until the lifetime ends; any other 2xx is as 200.
    package static func webPush(
        _ answer: PushAnswer, _ attempt: PushAttempt, using random: inout some RandomNumberGenerator
    ) -> PushVerdict {
        // Most pushes need no pause, and chance has its price.
        func later() -> PushVerdict.Outcome {
            attempt.again(after: PushPace.pause(afterTries: attempt.number, using: &random))
        }
        guard case .answered(let response) = answer else {
            return PushVerdict(later(), service: .newConnection, answer)
        }
        switch response.status {
        case 200...299: return PushVerdict(.sent, answer)
        case 404, 410: return PushVerdict(.dropped, device: .removed(reason: "\(response.status)"), answer)
        case 400, 401, 403: return refused(answer, attempt)
        case 413:
            guard attempt.variant != .hidden else { return PushVerdict(.dead, answer) }
            return PushVerdict(attempt.again(at: attempt.now, as: .hidden), answer)
        case 429, 503:
            guard let pause = response.pause(at: attempt.now, within: PushLimits.retryAfterMilliseconds) else {
                return PushVerdict(later(), answer)
            }
            let until = attempt.now.adding(milliseconds: pause)
            return PushVerdict(
                attempt.again(at: until), service: .waits(until: until, milliseconds: pause), answer)
        case 507: return unsubscribed(answer, attempt, using: &random)
        default: return PushVerdict(later(), answer)
        }
    }

    /// An old token may be the cause, so a new one is tried first.
    private static func refused(_ answer: PushAnswer, _ attempt: PushAttempt) -> PushVerdict {
        guard !attempt.isTokenOlder(than: PushLimits.freshTokenMilliseconds) else {
            return PushVerdict(attempt.again(at: attempt.now), service: .newToken, answer)
        }
        return PushVerdict(.dropped, device: noted(.refused, answer, attempt), answer)
    }

    private static func unsubscribed(
        _ answer: PushAnswer, _ attempt: PushAttempt, using random: inout some RandomNumberGenerator
    ) -> PushVerdict {
        let device = noted(.unsubscribed, answer, attempt)
        if case .removed = device { return PushVerdict(.dropped, device: device, answer) }
        let pause = PushPace.pause(afterTries: attempt.number, of: PushLimits.unsubscribedMilliseconds, using: &random)
        return PushVerdict(attempt.again(after: pause), device: device, answer)
    }

    /// The problem of the device, or its end.
    static func noted(
        _ kind: DeviceProblem.Kind, _ answer: PushAnswer, line: String? = nil, _ attempt: PushAttempt
    ) -> DeviceEffect {
        let reason = line ?? answer.line
        let problem = DeviceProblem(kind, reason: reason, after: attempt.problem, at: attempt.now)
        return problem.removesDevice(at: attempt.now) ? .removed(reason: reason) : .problem(problem)
    }
}
