package import Authentication
package import Client
import ClientProtocol
package import EventLoop
import JSON
import Model
import Session
import Telemetry

/// A play for the terminal and the page.
package protocol DemoPlay: AnyObject {
    /// Begins, or continues where it stopped.
    func start()
    /// Ends all its activity on the loop.
    func stop()
}

/// The parts that every demo uses: a loop with its timers, the HTTP API, sessions and the narrator.
///
/// - Confinement: loop
package final class DemoMachinery {
    /// How quickly the story goes.
    package enum Pace: String, CaseIterable {
        case fast, normal

        fileprivate var quickness: Int64 { self == .fast ? 4 : 1 }
    }

    package let narrator: DemoNarrator
    private let loop: Loop
    private let server: ServerAddress
    private let secret: ServerSecret
    private let api: HTTPConnection
    /// Makes a token of an operator, which the HTTP API wants.
    private let operatorToken: () -> String
    private let pace: Pace
    private var timers: [Int: LoopTimer] = [:]
    private var lastTimer = 0

    /// - Parameters:
    ///   - secret: signs the tokens of the people.
    ///   - operatorToken: makes a new token of an operator.
    package init(
        on loop: Loop, server: ServerAddress, secret: ServerSecret, pace: Pace,
        operatorToken: @escaping () -> String
    ) {
        self.loop = loop
        self.server = server
        self.secret = secret
        self.pace = pace
        self.operatorToken = operatorToken
        narrator = DemoNarrator(on: loop)
        api = HTTPConnection(on: loop, to: server)
    }

    /// A device of a person; it connects when it is started.
    func session(of person: DemoPerson) -> ClientSession {
        var configuration = ClientSessionConfiguration(device: "demo-phone")
        configuration.locale = person.locale.text
        configuration.client = "demo-bot/1"
        return ClientSession(on: loop, server: server, configuration: configuration) { [secret] in
            let now = WallClock.system.now()
            let claims = Claims(subject: person.id, expiresAt: now.adding(milliseconds: 86_400_000))
            return JSONWebToken.sign(claims, issuedAt: now, with: secret)
        }
    }

    func stop() {
        api.close()
        for timer in timers.values { timer.close() }
        timers = [:]
    }

    /// Does something later; the time is in milliseconds at normal pace.
    func after(_ milliseconds: Int64, _ act: @escaping () -> Void) {
        lastTimer += 1
        let id = lastTimer
        let timer = LoopTimer(on: loop) { [unowned self] in
            timers.removeValue(forKey: id)?.close()
            act()
        }
        timers[id] = timer
        timer.start(afterMilliseconds: milliseconds / pace.quickness)
    }

    /// Calls the HTTP API; failures are printed.
    func ask(
        _ method: String, _ path: String, _ body: JSONValue? = nil, key: String? = nil, mayBeMissing: Bool = false,
        then: ((AdminAnswer) -> Void)? = nil
    ) {
        var request = AdminRequest(method, path, token: operatorToken()).with(key: key)
        if let body { request = request.with(body: body) }
        api.perform(request.http) { [unowned self] result in
            switch result {
            case .success(let response):
                let answer = AdminAnswer(response)
                if case .refused(let refusal) = answer, then == nil, !(mayBeMissing && refusal.code == .notFound) {
                    narrator.complain("\(method) \(path): \(refusal.message)")
                }
                then?(answer)
            case .failure(.connection(.cancelled)): break
            case .failure(let failure): narrator.complain("\(method) \(path): \(failure)")
            }
        }
    }
}

@available(*, unavailable)
extension DemoMachinery: Sendable {}
