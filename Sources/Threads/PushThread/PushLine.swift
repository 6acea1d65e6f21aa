import Model
import Push

/// The sender's state of one push service: the requests under way, and when the next may begin. A value: times are
/// parameters.
///
/// - Confinement: any
struct PushLine: Sendable, Hashable {
    /// Whether a request may begin now.
    ///
    /// - Confinement: any
    enum Room: Sendable, Hashable {
        case free
        /// When a request that is under way has ended.
        case full
        /// Not before this time.
        case later(Timestamp, reason: String)
    }

    /// A change that the log reports once.
    ///
    /// - Confinement: any
    enum Turn: Sendable, Hashable {
        case begins(until: Timestamp, reason: String)
        case ends
    }

    private var window: PushWindow
    /// Nothing is sent before this time.
    private(set) var waitsUntil: Timestamp?
    private var reason = ""
    /// The last pause for a quota that is used up, in milliseconds; see `PushAttempt.servicePause`.
    private(set) var pause: Int64?
    /// Whether the last answer was a failure of the service: then it gets one request at a time, and the others do not
    /// wait for that one.
    private(set) var isFailing = false
    /// Whether a request has ended.
    private var isKnown = false
    /// Whether the last answer was none of a failure, and came soon.
    private(set) var isQuick = false

    init(_ growth: PushWindow.Growth) { window = PushWindow(growth) }

    var underWay: Int { window.underWay }
    /// Whether nothing would be lost without it.
    var isIdle: Bool { window.underWay == 0 && waitsUntil == nil && !isFailing }

    /// Its requests under way, if it is not quick: each may hold a connection for as long as an answer is waited for.
    var slowUnderWay: Int { isQuick ? 0 : window.underWay }

    /// Whether its next request may begin, so that slow services leave connections to the quick ones. The first request
    /// to a service that is not known yet has more room, because it may be a quick one.
    ///
    /// - Parameter slow: The sum of ``slowUnderWay`` of all services that share the connections.
    func hasShare(beside slow: Int) -> Bool {
        if isQuick { return true }
        let isFirst = !isKnown && window.underWay == 0
        return slow < (isFirst ? PushLimits.firstRequestsMax : PushLimits.slowRequestsMax)
    }

    func room(at now: Timestamp) -> Room {
        if let waitsUntil, now < waitsUntil { return .later(waitsUntil, reason: reason) }
        if window.free > 0 { return .free }
        guard isFailing else { return .full }
        return .later(
            now.adding(milliseconds: PushLimits.retryMilliseconds[0]), reason: "the service has failed before")
    }

    mutating func begin() { window.begin() }

    /// Notes the end of a request.
    ///
    /// - Parameters:
    ///   - isHTTP2: whether the answer came over HTTP/2.
    ///   - milliseconds: from the beginning of the request.
    mutating func end(_ verdict: PushVerdict, isHTTP2: Bool, milliseconds: Int64, at now: Timestamp) -> Turn? {
        // A device that gets too many pushes is no failure of its service.
        let isOfDevice = if case .waits = verdict.device { true } else { false }
        isFailing = verdict.isFailure && !isOfDevice
        isKnown = true
        isQuick = !isFailing && milliseconds <= PushLimits.quickMilliseconds
        window.end(isFailure: isFailing, isHTTP2: isHTTP2)
        switch verdict.service {
        case .none, .newToken, .newConnection:
            guard verdict.outcome == .sent else { return nil }
            pause = nil
            return goOn()
        case .waits(let until, let milliseconds):
            pause = milliseconds
            return wait(until: until, reason: verdict.line, at: now)
        case .keyRefused(let until):
            return wait(until: until, reason: "the key is refused: \(verdict.line)", at: now)
        case .clockWrong(let until):
            return wait(until: until, reason: "the clock of this machine seems wrong: \(verdict.line)", at: now)
        }
    }

    /// Nothing is sent before a time.
    mutating func wait(until: Timestamp, reason: String, at now: Timestamp) -> Turn? {
        let isNew = waitsUntil == nil
        waitsUntil = max(waitsUntil ?? until, until)
        self.reason = reason
        return isNew ? .begins(until: until, reason: reason) : nil
    }

    /// The wait is over: a push was taken, or there is another key.
    mutating func goOn() -> Turn? {
        guard waitsUntil != nil else { return nil }
        waitsUntil = nil
        return .ends
    }
}
