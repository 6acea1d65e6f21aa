import Client
import ClientProtocol
import EventLoop
import JSON
import Model
import Session

/// A user who writes to some of the clients: numbered messages; a number counts as written when it is acknowledged.
///
/// - Confinement: loop
final class StormFeeder: ClientSessionDelegate {
    let user: UserID
    private let clients: [StormClient]
    private let session: ClientSession
    private unowned let owner: StormLoop
    private var submitted: [Int64]
    /// Messages that wait for the answer to the one before. A server may refuse one for the moment, and its repetition would
    /// come after the next.
    private var waiting: [Int]
    /// Acknowledged messages, by the client's index in ``clients``.
    private(set) var written: [Int64]
    private var nextClient = 0

    init(_ user: UserID, to clients: [StormClient], of owner: StormLoop) {
        self.user = user
        self.clients = clients
        self.owner = owner
        submitted = Array(repeating: 0, count: clients.count)
        waiting = Array(repeating: 0, count: clients.count)
        written = submitted
        var configuration = ClientSessionConfiguration(device: "storm")
        configuration.client = "watchwise-load"
        configuration.backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000)
        // It gets every delivery, too, and ignores them.
        session = owner.makeSession(configuration, for: user, index: 0)
        session.delegate = self
    }

    /// Commands without a reply.
    var pendingCount: Int { session.pendingCount + waiting.reduce(0, +) }
    var acknowledgedCount: Int64 { written.reduce(0, +) }

    func start() { session.start() }
    func stop() { session.stop() }

    /// Opens a chat with each client; its first message has the number 1. It waits for the follow: a busy server takes
    /// a follow later, and a message sent before it would be forbidden.
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

    /// Writes this many times to each of its clients, in turns.
    func feed(rounds: Int) {
        for _ in 0..<rounds {
            for place in clients.indices { write(to: place) }
        }
    }

    /// Writes once to the next client.
    func feedOne() {
        guard !clients.isEmpty else { return }
        write(to: nextClient % clients.count)
        nextClient += 1
    }

    /// Each client, and the messages written to it.
    var books: [(client: StormClient, written: Int64)] { Array(zip(clients, written)) }

    private func write(to place: Int) {
        guard written[place] == submitted[place] else {
            waiting[place] += 1
            return
        }
        submitted[place] += 1
        let n = submitted[place]
        guard let key = WriteKey("\(clients[place].index)-\(n)") else { return }
        session.submit(.send(String(n), to: clients[place].user, key: key)) { [unowned self] reply in
            switch reply {
            case .ok(let body):
                guard body["n"]?.integerValue == n else { return owner.fail("message \(n) got another number") }
                written[place] = max(written[place], n)
                guard waiting[place] > 0 else { return }
                waiting[place] -= 1
                write(to: place)
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
