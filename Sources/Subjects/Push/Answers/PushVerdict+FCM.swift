import JSON
import Model

extension PushVerdict {
    /// The table of FCM (`google.firebase.fcm.v1.ErrorCode`).
    ///
    /// The error code decides. Without a known one the status does: 4xx is our mistake, and everything else is tried
    /// again.
    package static func fcm(
        _ answer: PushAnswer, _ attempt: PushAttempt, using random: inout some RandomNumberGenerator
    ) -> PushVerdict {
        let step = PushPace.pause(afterTries: attempt.number, using: &random)
        guard case .answered(let response) = answer else {
            let isFirst = if case .brokenOff = answer { attempt.number <= 1 } else { false }
            return PushVerdict(attempt.again(after: isFirst ? 0 : step), service: .newConnection, answer)
        }
        guard !(200...299).contains(response.status) else {
            // The name that Google gave the message, for its own tools.
            let name = response.json["name"]?.stringValue.map { " " + AnswerText.line($0) } ?? ""
            return PushVerdict(.sent, answer, line: "\(response.status)\(name)")
        }
        let error = FCMError(response)
        let line = error.code.isEmpty ? "\(response.status)" : "\(response.status) \(error.code)"
        switch error.code {
        case "UNREGISTERED", "SENDER_ID_MISMATCH":
            return PushVerdict(.dropped, device: .removed(reason: line), answer, line: line)
        case "THIRD_PARTY_AUTH_ERROR": return unauthorized(answer, line: line, attempt)
        case "QUOTA_EXCEEDED": return overQuota(response, answer, line: line, attempt)
        case "INTERNAL", "UNAVAILABLE": return troubled(response, step, answer, line: line, attempt)
        default: break
        }
        switch response.status {
        case 400 where error.isAboutToken:
            return PushVerdict(.dropped, device: .removed(reason: line), answer, line: line)
        case 401, 403: return unauthorized(answer, line: line, attempt)
        case 429: return overQuota(response, answer, line: line, attempt)
        case 400...499: return PushVerdict(.dead, answer, line: line)
        default: return troubled(response, step, answer, line: line, attempt)
        }
    }

    /// The access token may be over, so a new one is tried first.
    private static func unauthorized(_ answer: PushAnswer, line: String, _ attempt: PushAttempt) -> PushVerdict {
        guard attempt.isTokenOlder(than: PushLimits.freshTokenMilliseconds) else {
            return keyRefused(answer, line: line, attempt)
        }
        return PushVerdict(attempt.again(at: attempt.now), service: .newToken, answer, line: line)
    }

    private static func overQuota(
        _ response: PushResponse, _ answer: PushAnswer, line: String, _ attempt: PushAttempt
    ) -> PushVerdict {
        let doubled = PushPace.doubled(attempt.servicePause, from: PushLimits.quotaMillisecondsMin)
        let pause = max(doubled, response.pause(at: attempt.now, within: PushLimits.retryAfterMilliseconds) ?? 0)
        let until = attempt.now.adding(milliseconds: pause)
        let service = ServiceEffect.waits(until: until, milliseconds: pause)
        return PushVerdict(attempt.again(at: until), service: service, answer, line: line)
    }

    private static func troubled(
        _ response: PushResponse, _ step: Int64, _ answer: PushAnswer, line: String, _ attempt: PushAttempt
    ) -> PushVerdict {
        let wanted = response.pause(at: attempt.now, within: PushLimits.retryAfterMilliseconds)
        return PushVerdict(
            attempt.again(after: wanted ?? max(step, PushLimits.fcmErrorMilliseconds)), answer, line: line)
    }
}
