import Client
import ClientProtocol
import EventLoop
import JSON
import Model

/// A user who writes to some of the clients: numbered messages, each acknowledged before its number counts as written.
///
/// - Confinement: loop
final class StormFeeder: ClientSessionDelegate {
    let user: UserID
    private let clients: [StormClient]
    private let session: ClientSession
    private unowned let owner: StormLoop
    private var submitted: [Int64]
    /// Acknowledged messages, by the client's place among ``clients``.
    private(set) var written: [Int64]
    private var nextClient = 0

    init(_ user: UserID, to clients: [StormClient], of owner: StormLoop) {
        self.user = user
        self.clients = clients
        self.owner = owner
        submitted = Array(repeating: 0, count: clients.count)
        written = submitted
        var configuration = ClientSessionConfiguration(device: "storm")
        configuration.client = "watchwise-load"
        configuration.backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000)
        // It hears of every delivery, which is not what it is for.
        session = owner.makeSession(configuration, for: user, index: 0)
        session.delegate = self
    }

    /// Commands without their replies.
    var pendingCount: Int { session.pendingCount }
    var acknowledgedCount: Int64 { written.reduce(0, +) }

    func start() { session.start() }
    func stop() { session.stop() }

    /// Opens a chat with each client, whose first message is the number 1. It is written when the follow is there: a
    /// server that has too much to do takes a follow later, and the message behind it would be forbidden.
    func openChats() {
        for (place, client) in clients.enumerated() {
            session.submit(.follow(Topic(user: client.user))) { [unowned self] reply in
                switch reply {
                case .ok: write(to: place)
                case .refused(let refusal): owner.fail("a follow was refused: \(refusal.message)")
                case .lost: break
                }
            }
        }
    }

    /// Writes to each of its clients so many times, in turns.
    func feed(rounds: Int) {
        for _ in 0..<rounds {
            for place in clients.indices { write(to: place) }
        }
    }

    /// Writes once to the client whose turn it is.
    func feedOne() {
        guard !clients.isEmpty else { return }
        write(to: nextClient % clients.count)
        nextClient += 1
    }

    /// Client and messages written to it.
    var books: [(client: StormClient, written: Int64)] { Array(zip(clients, written)) }

    private func write(to place: Int) {
        submitted[place] += 1
        let n = submitted[place]
        guard let key = WriteKey("\(clients[place].index)-\(n)") else { return }
        session.submit(.send(String(n), to: clients[place].user, key: key)) { [unowned self] reply in
            switch reply {
            case .ok(let body):
                guard body["n"]?.integerValue == n else { return owner.fail("message \(n) got another number") }
                written[place] = max(written[place], n)
            case .refused(let refusal): owner.fail("a message was refused: \(refusal.message)")
            case .lost: break
            }
        }
    }

    func report(_ report: ClientSessionReport, from session: ClientSession) {
        switch report {
        case .ended(.stopped), .event, .live, .offline, .online, .reply, .reset: break
        case .ended(let end): owner.fail("\(user.text) ended: \(end)")
        case .violation(let violation): owner.fail("\(user.text): \(violation)")
        }
    }
}

@available(*, unavailable)
extension StormFeeder: Sendable {}
