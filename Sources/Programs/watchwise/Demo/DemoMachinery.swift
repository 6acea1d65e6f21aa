import Authentication
import Client
import ClientProtocol
import Demo
import EventLoop
import JSON
import Model
import Session

/// A play for the terminal and the page.
protocol DemoPlay: AnyObject {
    func start()
    /// Ends all its activity on the loop.
    func stop()
}

/// The parts that every demo uses: a loop with its timers, the HTTP API, sessions and the narrator.
///
/// - Confinement: loop
final class DemoMachinery {
    let narrator: DemoNarrator
    private let loop: Loop
    private let server: ServerAddress
    private let secret: ServerSecret
    private let api: HTTPConnection
    private let pace: Demo.Pace
    private var timers: [Int: LoopTimer] = [:]
    private var lastTimer = 0

    init(on loop: Loop, server: ServerAddress, secret: ServerSecret, pace: Demo.Pace) {
        self.loop = loop
        self.server = server
        self.secret = secret
        self.pace = pace
        narrator = DemoNarrator(on: loop)
        api = HTTPConnection(on: loop, to: server)
    }

    /// A device of a person; it connects when it is started.
    func session(of person: DemoPerson) -> ClientSession {
        var configuration = ClientSessionConfiguration(device: "demo-phone")
        configuration.locale = person.locale.text
        configuration.client = "demo-bot/1"
        return ClientSession(on: loop, server: server, configuration: configuration) { [secret] in
            let now = Surroundings.now
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
        var request = AdminRequest(method, path, token: OperatorToken.make(with: secret)).with(key: key)
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
