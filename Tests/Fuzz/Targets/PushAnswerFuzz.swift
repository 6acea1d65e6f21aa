import Model
import Push
import TestSupport

/// Answers of push services. The first four lines are the status, the number of the try, the fields of the attempt (any
/// bytes, one choice for each), and `Retry-After`; the rest is the body.
///
/// Every verdict of the three tables keeps its bounds: a next try lies between now and the end of the lifetime, a pause
/// between its least and its most, a line is short and visible ASCII, and a problem comes back the same from its stored
/// form. An access token is one that was given with 200, and lasts a day at most.
struct PushAnswerFuzz: FuzzTarget {
    static let name = "PushAnswer"

    private static let lineCharactersMax = 220
    private static let dayMilliseconds: Int64 = 86_400_000
    private let now = Timestamp(seconds: 1_800_000_000)

    init() {}

    func check(_ input: [UInt8]) throws {
        let parts = input.split(separator: 0x0A, maxSplits: 4, omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 5 else { return }
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        let (status, number) = (Int(texts[0]) ?? 200, min(max(Int(texts[1]) ?? 1, 1), 1_000))
        let retryAfter = texts[3].isEmpty ? nil : texts[3]
        let answers: [PushAnswer] = [
            .answered(PushResponse(status: status, retryAfter: retryAfter, body: parts[4])),
            .brokenOff(reason: texts[4]), .unanswered(reason: texts[4]),
        ]
        let attempt = attempt(number: number, choices: parts[2])
        var random = SeededRandom(seed: UInt64(number))
        for answer in answers {
            try check(.webPush(answer, attempt, using: &random), of: attempt)
            for environment in [APNsEnvironment.production, .sandbox] {
                try check(.apns(answer, attempt, environment: environment, using: &random), of: attempt)
            }
            try check(.fcm(answer, attempt, using: &random), of: attempt)
            try checkGrant(answer)
        }
        try checkStored(texts[4])
    }

    /// An attempt with any facts: each byte chooses one of them.
    private func attempt(number: Int, choices: [UInt8]) -> PushAttempt {
        func choice(_ place: Int) -> Int { place < choices.count ? Int(choices[place]) : 0 }
        func pick<Value>(_ place: Int, of values: [Value]) -> Value { values[choice(place) % values.count] }
        func time(_ place: Int) -> Timestamp { now.adding(milliseconds: Int64(choice(place) - 128) * 60_000) }
        return PushAttempt(
            number: number, now: now, ends: pick(0, of: [now, now.adding(milliseconds: 1), time(0), later]),
            tokenMade: pick(1, of: [now, time(1), Timestamp(milliseconds: .min)]),
            registered: pick(2, of: [now, time(2), Timestamp(milliseconds: .max)]),
            variant: pick(3, of: PushVariant.allCases),
            problem: pick(4, of: [nil, #"{"kind":"refused","reason":"403","since":0,"count":2,"counted":0}"#])
                .flatMap { DeviceProblem(stored: $0) },
            devicePause: pick(5, of: [nil, 1, 300_000, 3_600_000, .max]),
            servicePause: pick(6, of: [nil, 1, 60_000, 3_600_000, .max]))
    }

    private var later: Timestamp { now.adding(milliseconds: 28 * Self.dayMilliseconds) }
}

// MARK: - The bounds

extension PushAnswerFuzz {
    private func check(_ verdict: PushVerdict, of attempt: PushAttempt) throws(Finding) {
        if case .again(let time, _) = verdict.outcome {
            try expect(time >= attempt.now && time < attempt.ends, "again at \(time), which is not in the lifetime")
        }
        try expect(verdict.line.utf8.count <= Self.lineCharactersMax, "a line of \(verdict.line.utf8.count) bytes")
        try expect(verdict.line.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "the line '\(verdict.line)'")
        switch verdict.device {
        case .kept, .removed: break
        case .problem(let problem):
            try expect(DeviceProblem(stored: problem.stored), equals: problem, "the stored problem")
        case .corrected: try expect(verdict.outcome, equals: .sent, "corrected without having been sent")
        case .waits(let until, let milliseconds): try checkPause(until, milliseconds, attempt)
        }
        switch verdict.service {
        case .none, .newToken, .newConnection: break
        case .waits(let until, let milliseconds): try checkPause(until, milliseconds, attempt)
        case .keyRefused(let until), .clockWrong(let until):
            let pause = until.milliseconds - attempt.now.milliseconds
            try expect((1...PushLimits.doubledMillisecondsMax).contains(pause), "a wait of \(pause) ms")
        }
    }

    private func checkPause(_ until: Timestamp, _ milliseconds: Int64, _ attempt: PushAttempt) throws(Finding) {
        let bounds = PushLimits.retryAfterMilliseconds
        try expect(bounds.contains(milliseconds), "a pause of \(milliseconds) ms")
        try expect(until, equals: attempt.now.adding(milliseconds: milliseconds), "the end of the pause")
    }

    private func checkGrant(_ answer: PushAnswer) throws(Finding) {
        switch FCMGrant.read(answer, at: now) {
        case .token(let token):
            guard case .answered(let response) = answer else { throw Finding(description: "a token from no answer") }
            try expect(response.status, equals: 200, "the status of a token")
            try expect((0x21...0x7e).contains(token.text.utf8.min() ?? 0), "the token '\(token.text)'")
            let life = token.ends.milliseconds - token.made.milliseconds
            try expect((1...Self.dayMilliseconds).contains(life), "a token of \(life) ms")
        case .refused(let reason), .failed(let reason):
            try expect(reason.utf8.count <= Self.lineCharactersMax, "a reason of \(reason.utf8.count) bytes")
        }
    }

    /// Any text in place of a stored problem.
    private func checkStored(_ text: String) throws(Finding) {
        guard let problem = DeviceProblem(stored: text) else { return }
        try expect(DeviceProblem(stored: problem.stored), equals: problem, "the stored problem")
    }
}
