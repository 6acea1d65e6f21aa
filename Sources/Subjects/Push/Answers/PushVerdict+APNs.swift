package import Model

extension PushVerdict {
    /// Refusals that come from the configuration of the server or of the app.
    private static let misconfigured: Set = ["DeviceTokenNotForTopic", "BadTopic", "TopicDisallowed", "MissingTopic"]

    /// The table of APNs ("Handling notification responses from APNs").
    ///
    /// An unknown reason counts as its status says; an unknown status below 500 is our mistake if it is 4xx, and
    /// everything else is tried again.
    ///
    /// - Parameter environment: The one that the device is registered for.
    package static func apns(
        _ answer: PushAnswer, _ attempt: PushAttempt, environment: APNsEnvironment,
        using random: inout some RandomNumberGenerator
    ) -> PushVerdict {
        // Most pushes need no pause, and chance has its price.
        func later() -> PushVerdict.Outcome {
            attempt.again(after: PushPace.pause(afterTries: attempt.number, using: &random))
        }
        switch answer {
        case .unanswered: return PushVerdict(later(), service: .newConnection, answer)
        case .brokenOff:
            // The tag makes a second copy a replacement.
            let outcome = attempt.number > 1 ? later() : attempt.again(at: attempt.now)
            return PushVerdict(outcome, service: .newConnection, answer)
        case .answered(let response):
            let error = APNsError(response)
            let line = error.reason.isEmpty ? answer.line : "\(response.status) \(error.reason)"
            switch response.status {
            case 200...299:
                let isOther = attempt.variant == .otherEnvironment
                return PushVerdict(.sent, device: isOther ? .corrected(environment.other) : .kept, answer, line: line)
            case 400 where error.reason == "BadDeviceToken":
                guard attempt.variant == .otherEnvironment else {
                    return PushVerdict(attempt.again(at: attempt.now, as: .otherEnvironment), answer, line: line)
                }
                return PushVerdict(.dropped, device: .removed(reason: line), answer, line: line)
            case 400 where misconfigured.contains(error.reason):
                let device = noted(.misconfigured, answer, line: line, attempt)
                return PushVerdict(.dropped, device: device, answer, line: line)
            case 403: return forbidden(error, answer, line: line, attempt)
            case 410:
                if let timestamp = error.timestamp, timestamp < attempt.registered {
                    return PushVerdict(later(), answer, line: line)
                }
                return PushVerdict(.dropped, device: .removed(reason: line), answer, line: line)
            case 429: return tooMany(error, answer, line: line, attempt)
            case 400...499: return PushVerdict(.dead, answer, line: line)
            default: return PushVerdict(later(), service: .newConnection, answer, line: line)
            }
        }
    }

    /// 403: the token or its key.
    private static func forbidden(
        _ error: APNsError, _ answer: PushAnswer, line: String, _ attempt: PushAttempt
    ) -> PushVerdict {
        guard error.reason == "ExpiredProviderToken" else { return keyRefused(answer, line: line, attempt) }
        if attempt.isTokenOlder(than: PushLimits.apnsTokenMillisecondsMin) {
            return PushVerdict(attempt.again(at: attempt.now), service: .newToken, answer, line: line)
        }
        let until = attempt.now.adding(milliseconds: PushLimits.apnsTokenMillisecondsMin)
        return PushVerdict(attempt.again(at: until), service: .clockWrong(until: until), answer, line: line)
    }

    /// 429: too many tokens concern the platform, and too many pushes one device.
    private static func tooMany(
        _ error: APNsError, _ answer: PushAnswer, line: String, _ attempt: PushAttempt
    ) -> PushVerdict {
        if error.reason == "TooManyProviderTokenUpdates" {
            let pause = PushLimits.apnsTokenMillisecondsMin
            let until = attempt.now.adding(milliseconds: pause)
            let service = ServiceEffect.waits(until: until, milliseconds: pause)
            return PushVerdict(attempt.again(at: until), service: service, answer, line: line)
        }
        let pause = PushPace.doubled(attempt.devicePause, from: PushLimits.deviceMillisecondsMin)
        let until = attempt.now.adding(milliseconds: pause)
        let device = DeviceEffect.waits(until: until, milliseconds: pause)
        return PushVerdict(attempt.again(at: until), device: device, answer, line: line)
    }

    /// The platform waits for its operator, and is asked again from time to time.
    static func keyRefused(_ answer: PushAnswer, line: String, _ attempt: PushAttempt) -> PushVerdict {
        let until = attempt.now.adding(milliseconds: PushLimits.keyMilliseconds)
        return PushVerdict(attempt.again(at: until), service: .keyRefused(until: until), answer, line: line)
    }
}
