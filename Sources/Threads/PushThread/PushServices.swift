import Configuration
import EventLoop
import Model
import Outbound
import Push
import Store
import Telemetry

/// Sends single pushes to their services, each within its window and its waits.
///
/// - Confinement: loop (the thread of pushes)
final class PushServices {
    let loop: Loop
    let apnsService: APNsService
    private let fcmURL: String?
    private let clients: PushClients
    private let clock: WallClock
    private let log: ServerLog
    private let metrics: PushMetrics
    var credentials: PushCredentials
    private var lines: [PushServiceName: PushLine] = [:]
    /// The pauses of devices that got too many pushes.
    private var pauses: [Int64: (until: Timestamp, milliseconds: Int64)] = [:]
    /// Requests under way to origins whose speed is not known, or which are slow or failing.
    private var slowUnderWay = 0
    private var isClosed = false
    var random = SystemRandomNumberGenerator()
    /// Called when a service has room again for pushes that had to wait.
    var onRoom: () -> Void = {}
    /// Called when a platform goes on before its time, with that time: pushes that were delayed until then may go now.
    var onEarlyEnd: (PushPlatform, Timestamp) -> Void = { _, _ in }

    init(
        _ configuration: PushConfiguration, folder: String, _ clients: PushClients, _ clock: WallClock,
        _ metrics: PushMetrics, _ log: ServerLog, on loop: Loop
    ) {
        apnsService = APNsService(
            url: configuration.apns?.url, isCriticalAllowed: configuration.apns?.allowsCritical ?? false)
        fcmURL = configuration.fcm?.url
        self.clients = clients
        self.clock = clock
        self.metrics = metrics
        self.log = log
        self.loop = loop
        credentials = PushCredentials(configuration, folder: folder, log)
    }

    func close() {
        isClosed = true
        clients.close()
    }

    /// Whether a push to a device may begin now.
    func room(for device: PushDeviceEntry, _ variant: PushVariant) -> PushLine.Room {
        let now = clock.now()
        guard let service = PushServiceName(of: device.registration, isOther: variant == .otherEnvironment) else {
            return .free
        }
        if let pause = pauses[device.id], now < pause.until {
            return .later(pause.until, reason: "this device got too many pushes")
        }
        if line(of: service).waitsUntil != nil { lookForKey(of: service) }
        let room = line(of: service).room(at: now)
        if case .origin = service, room == .free, !line(of: service).hasShare(beside: slowUnderWay) { return .full }
        guard service == .fcm, room == .free, credentials.has(.fcm), accessToken(at: now) == nil else { return room }
        // The request for a token may have failed at once.
        let roomNow = line(of: .fcm).room(at: now)
        return roomNow == .free ? .full : roomNow
    }

    /// Sends a push.
    ///
    /// - Parameter done: called once, perhaps during this call; never after ``close()``.
    func send(_ order: PushOrder, _ done: @escaping (PushEnd) -> Void) {
        let now = clock.now()
        guard let service = order.service else { return done(.unsendable(reason: "its endpoint is not an address")) }
        let platform = order.device.registration.platform
        guard credentials.has(platform) else {
            return done(.unsendable(reason: "the server is not configured for \(platform.rawValue)"))
        }
        let made: PushMade
        do {
            if try credentials.refresh(platform, tick: loop.now) { goOn(platform) }
            guard let request = try make(order, to: service, at: now) else {
                return done(.unsendable(reason: "a browser gets nothing that it does not show"))
            }
            made = request
        } catch let problem as PushUnsendable {
            return done(.unsendable(reason: problem.reason))
        } catch let missing as PushTokenMissing {
            return done(.postponed(until: now.adding(milliseconds: 1_000), reason: missing.description))
        } catch {
            let reason = "the key cannot be used: \(error)"
            return done(.postponed(until: waitForKey(service, reason, at: now), reason: reason))
        }
        change(service) { $0.begin() }
        let began = loop.now
        clients.client(of: service).send(OutboundRequest(made.request, isHTTPS: made.isEncrypted)) {
            [weak self] result in
            guard let self, !isClosed else { return }
            done(ended(order, service, made, result, milliseconds: loop.now - began))
        }
    }

    func fcmService(project: String) -> FCMService {
        fcmURL.map { FCMService(url: $0, project: project) } ?? FCMService(project: project)
    }

    /// Reads all key files again; nothing waits for a new key any more.
    func reload() {
        credentials.lookAgain()
        for service in lines.keys { goOn(service) }
        onRoom()
    }

    /// Looks at the key files of the platforms that wait: nothing else tells of a new key while nobody is pushed.
    ///
    /// - Returns: whether a platform still waits.
    func lookForKeys() -> Bool {
        let now = clock.now()
        func areWaiting() -> [PushServiceName] {
            lines.filter { $0.key.isPlatform && $0.value.waitsUntil.map { now < $0 } ?? false }.map(\.key)
        }
        for service in areWaiting() { lookForKey(of: service) }
        return !areWaiting().isEmpty
    }

    /// Another key ends the wait.
    private func lookForKey(of service: PushServiceName) {
        do {
            if try credentials.refresh(service.platform, tick: loop.now) { goOn(service.platform) }
        } catch {
            log.debug("the key of a push service cannot be used", ["service": service.text, "error": "\(error)"])
        }
    }

    private func waitForKey(_ service: PushServiceName, _ reason: String, at now: Timestamp) -> Timestamp {
        let until = now.adding(milliseconds: PushLimits.keyFileMilliseconds)
        report(change(service) { $0.wait(until: until, reason: reason, at: now) }, service)
        return until
    }

    /// There is another key, which both services of Apple take. No key ends the waits of origins.
    private func goOn(_ platform: PushPlatform) {
        for service in lines.keys where service.isPlatform && service.platform == platform { goOn(service) }
    }

    private func goOn(_ service: PushServiceName) {
        let until = line(of: service).waitsUntil
        report(change(service) { $0.goOn() }, service)
        if let until, service.isPlatform, until > clock.now() { onEarlyEnd(service.platform, until) }
    }

    private func ended(
        _ order: PushOrder, _ service: PushServiceName, _ made: PushMade,
        _ result: Result<OutboundAnswer, OutboundFailure>, milliseconds: Int64
    ) -> PushEnd {
        let now = clock.now()
        let device = order.device
        let attempt = PushAttempt(
            number: order.number, now: now, ends: order.content.ends, tokenMade: made.tokenMade,
            registered: device.registered, variant: order.variant, problem: device.problem.flatMap(DeviceProblem.init),
            devicePause: pauses[device.id]?.milliseconds, servicePause: lines[service]?.pause)
        let verdict = verdict(PushAnswer(result), attempt, device.registration)
        note(verdict, service, device.id, made, at: now)
        let isHTTP2 = if case .success(let answer) = result { answer.version == .two } else { false }
        report(change(service) { $0.end(verdict, isHTTP2: isHTTP2, milliseconds: milliseconds, at: now) }, service)
        count(verdict, device.registration.platform, milliseconds)
        return .judged(verdict, gone: made.request.gone, note: made.note)
    }

    private func verdict(
        _ answer: PushAnswer, _ attempt: PushAttempt, _ registration: PushRegistration
    ) -> PushVerdict {
        switch registration.platform {
        case .webpush, .unifiedpush: .webPush(answer, attempt, using: &random)
        case .apns:
            .apns(answer, attempt, environment: registration.environment ?? .production, using: &random)
        case .fcm: .fcm(answer, attempt, using: &random)
        }
    }

    private func note(
        _ verdict: PushVerdict, _ service: PushServiceName, _ device: Int64, _ made: PushMade, at now: Timestamp
    ) {
        if verdict.service == .newToken { credentials.forgetToken(made.tokenMade, of: service) }
        switch verdict.device {
        case .waits(let until, let milliseconds): pauses[device] = (until, milliseconds)
        case .kept, .removed, .problem, .corrected: if verdict.outcome == .sent { pauses[device] = nil }
        }
        guard pauses.count > PushLimits.servicesMax else { return }
        pauses = pauses.filter { $0.value.until > now }
    }
}

@available(*, unavailable)
extension PushServices: Sendable {}

// MARK: - Lines

extension PushServices {
    private func line(of service: PushServiceName) -> PushLine {
        if let line = lines[service] { return line }
        if lines.count >= PushLimits.servicesMax { lines = lines.filter { !$0.value.isIdle } }
        let growth = if case .origin = service { PushWindow.Growth.steps } else { PushWindow.Growth.atOnce }
        let line = PushLine(growth)
        lines[service] = line
        return line
    }

    @discardableResult
    private func change<Value>(_ service: PushServiceName, _ change: (inout PushLine) -> Value) -> Value {
        var line = line(of: service)
        let before = line.slowUnderWay
        defer {
            if case .origin = service { slowUnderWay += line.slowUnderWay - before }
            lines[service] = line
        }
        return change(&line)
    }

    private func count(_ verdict: PushVerdict, _ platform: PushPlatform, _ milliseconds: Int64) {
        metrics.sent(to: platform, status: verdict.status, milliseconds: milliseconds)
        guard case .removed = verdict.device else { return }
        metrics.removed(from: platform, reason: PushMetrics.word(of: verdict.status))
    }

    /// Counts the services that get nothing at present.
    func countWaiting() {
        let now = clock.now()
        var counts: [PushPlatform: Int] = [:]
        for (service, line) in lines where line.waitsUntil.map({ now < $0 }) ?? false {
            counts[service.platform, default: 0] += 1
        }
        for platform in [PushPlatform.webpush, .apns, .fcm] { metrics.setWaiting(counts[platform] ?? 0, of: platform) }
    }

    private func report(_ turn: PushLine.Turn?, _ service: PushServiceName) {
        switch turn {
        case .begins(let until, let reason):
            // There are three platforms, but as many origins as devices name.
            log.warning(
                "a push service waits", ["service": service.text, "until": until.text, "reason": reason],
                isChange: service.isPlatform)
        case .ends: log.info("a push service goes on", ["service": service.text])
        case nil: return
        }
    }
}

// MARK: - The access token of FCM

extension PushServices {
    /// The token, if there is one; fetches one if it is time, by one request however many pushes wait.
    func accessToken(at now: Timestamp) -> FCMTokens.Token? {
        do {
            if try credentials.refresh(.fcm, tick: loop.now) { goOn(PushPlatform.fcm) }
        } catch {
            _ = waitForKey(.fcm, "the key cannot be used: \(error)", at: now)
            return nil
        }
        let need = credentials.fcmNeed(at: now)
        if need.fetches { fetchAccessToken(at: now) }
        return need.token
    }

    private func fetchAccessToken(at now: Timestamp) {
        do {
            guard let request = try credentials.fcmGrant(at: now, tick: loop.now) else { return }
            clients.web.send(OutboundRequest(request, isHTTPS: request.url.hasPrefix("https"))) { [weak self] result in
                guard let self, !isClosed else { return }
                endFetch(FCMGrant.read(PushAnswer(result), at: clock.now()))
            }
        } catch {
            endFetch(.failed(reason: "the key cannot be used: \(error)"))
        }
    }

    private func endFetch(_ answer: FCMGrant.Answer) {
        let now = clock.now()
        let next = credentials.endGrant(answer, at: now)
        switch answer {
        case .token: goOn(PushServiceName.fcm)
        case .refused(let reason), .failed(let reason):
            let until = next ?? now
            let sentence = "no access token: \(reason)"
            report(change(.fcm) { $0.wait(until: until, reason: sentence, at: now) }, .fcm)
        }
        onRoom()
    }
}

extension OutboundRequest {
    /// A push as a request over HTTP, with the bounds of pushes.
    init(_ request: PushRequest, isHTTPS: Bool) {
        self.init(
            .post(request.body), url: request.url, fields: request.fields.map { Field($0.name, $0.value) },
            version: isHTTPS ? .two : .one, connectMilliseconds: PushLimits.connectMilliseconds,
            totalMilliseconds: PushLimits.answerMilliseconds, answerBytesMax: PushLimits.answerBytesMax)
    }
}

extension PushAnswer {
    /// The end of a request, as the tables of the platforms judge it.
    init(_ result: Result<OutboundAnswer, OutboundFailure>) {
        switch result {
        case .success(let answer):
            self = .answered(
                PushResponse(status: answer.status, retryAfter: answer["Retry-After"], body: answer.body))
        case .failure(.connectionEnded(_, let reason)): self = .brokenOff(reason: reason)
        case .failure(.addressRefused(let address)):
            self = .unanswered(reason: "\(address) is neither a public address nor in push-allow")
        case .failure(let failure): self = .unanswered(reason: failure.description)
        }
    }
}
