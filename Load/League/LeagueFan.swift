import Client
import ClientProtocol
import EventLoop
import Model
import Session

/// One fan: a session of the SDK that records its events in the fan's ledger.
///
/// - Confinement: loop
final class LeagueFan: ClientSessionDelegate {
    let index: Int
    private unowned let owner: LeagueLoop
    private let session: ClientSession
    var ledger: LeagueLedger

    init(_ index: Int, user: UserID, of owner: LeagueLoop, on loop: Loop, plan: LeaguePlan) {
        self.index = index
        self.owner = owner
        ledger = LeagueLedger(matches: plan.matches(of: index))
        var configuration = ClientSessionConfiguration(device: "phone")
        configuration.client = "watchwise-load"
        configuration.locale = ["en", "it", "pl"][index % 3]
        configuration.reconnects = false
        session = ClientSession(on: loop, server: plan.server, configuration: configuration) { [mint = plan.mint] in
            mint.token(for: user)
        }
        session.delegate = self
    }

    func start() { session.start() }
    func stop() { session.stop() }

    /// Asks for the list of notifications and compares it with the ledger.
    ///
    /// - Parameter rounds: Goals of each match so far.
    func check(rounds: Int, _ done: @escaping () -> Void) {
        session.submit(.notifications()) { [unowned self] reply in
            guard case .ok(let list) = reply else { return owner.fail("fan \(index) got no list: \(reply)") }
            ledger.rest(rounds: rounds, list: list)
            done()
        }
    }

    func report(_ report: ClientSessionReport, from session: ClientSession) {
        switch report {
        case .event(let event):
            if let sent = ledger.receive(event, isCorrecting: owner.isCorrecting) { owner.heard(sent) }
        case .live: owner.live()
        case .violation(.notAscending): ledger.receiveAgain()
        case .violation(let violation): owner.fail("fan \(index): \(violation)")
        case .reset(let reason): owner.fail("fan \(index) was reset: \(reason)")
        case .offline(let end, _): owner.fail("fan \(index) was cut off: \(end)")
        case .ended(.stopped), .online, .reply: break
        case .ended(let end): owner.fail("fan \(index) ended: \(end)")
        }
    }
}

@available(*, unavailable)
extension LeagueFan: Sendable {}
