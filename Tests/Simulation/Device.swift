import Client
import ClientProtocol
import EventLoop
import JSON
import Model
import Session
import SimulatedKernel
import Wire

/// A device of a user: the client's real session, and everything that it received.
/// - Confinement: the one thread
final class Device {
    struct Event: Equatable {
        let seq: Int64
        let name: EventName?
        let body: JSONValue
    }

    let user: UserID
    let name: String
    /// Whether it began at the beginning of the log.
    let isComplete: Bool
    private let session: ClientSession
    private unowned let ledger: Ledger
    private let tokenSeconds: Int64
    /// Of the nodes between which it moves.
    private let ports: [UInt16]
    /// Of the node of its connection, or of the next one.
    private(set) var port: UInt16

    /// Durable events, in the order of arrival.
    private(set) var events: [Event] = []
    /// The log's head when it first connected; zero when it asked for everything.
    private var presentAt: Int64?
    /// The log's head when it first connected: from then on the server knows its user.
    private(set) var welcomedAt: Int64?
    /// Where it began: the first `live`, unless it is complete.
    private(set) var beganAt: Int64?
    private(set) var counts: UnreadCounts?
    /// Counts that it received.
    private(set) var told: [ToldCounts] = []
    /// Whether it had to fetch its state again, so that it misses events; the numbers of messages then begin again.
    private(set) var wasReset = false
    /// The highest position of a write of its own that was answered.
    private var answeredUpTo: (position: Int64, key: WriteKey)?
    private(set) var isStopped = false
    private var lastNumbers: [String: Int64] = [:]
    /// The rooms whose member the user is, as far as it knows.
    private(set) var rooms: Set<String> = []
    /// When its last connection ended, or it was made.
    private var disconnectedAt = sim_now()
    private(set) var keys: [Int64: WriteKey] = [:]

    /// - Parameter epoch: The epoch from whose beginning a complete device reads; nil begins at the present.
    init(
        _ user: UserID, _ name: String, since epoch: Epoch?, isCompressed: Bool, tokenSeconds: Int64, on loop: Loop,
        to ports: [UInt16], first: UInt16? = nil, ledger: Ledger
    ) throws {
        self.ports = ports
        port = first ?? (ports.count > 1 ? ports[Dice.below(ports.count)] : ports[0])
        self.user = user
        self.name = name
        self.ledger = ledger
        self.tokenSeconds = tokenSeconds
        isComplete = epoch != nil
        var configuration = ClientSessionConfiguration(device: name)
        configuration.since = epoch.map { ResumePoint(epoch: $0, seq: .zero) }
        configuration.compression = isCompressed ? PerMessageDeflateOffer() : nil
        configuration.ackAfterMilliseconds = Dice.once(in: 3) ? 200 : nil
        configuration.backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 2000)
        session = ClientSession(
            on: loop, server: try Self.server(port),
            configuration: configuration
        ) { Machine.token(user, seconds: tokenSeconds) }
        session.delegate = self
        session.start()
    }

    private static func server(_ port: UInt16) throws -> ServerAddress {
        ServerAddress(try SocketAddress("127.0.0.1:\(port)"))
    }

    /// Its next connection is to any of the nodes.
    private func move() {
        guard ports.count > 1 else { return }
        port = ports[Dice.below(ports.count)]
        guard let server = try? Self.server(port) else { return }
        session.move(to: server)
    }

    var isLive: Bool { session.isLive }
    var pendingCount: Int { session.pendingCount }
    var cursor: Int64 { session.cursor?.seq.value ?? 0 }
    /// The highest known message number, by chat.
    var chats: [(chat: String, n: Int64)] { lastNumbers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    func lastNumber(in chat: String) -> Int64? { lastNumbers[chat] }

    /// Submits a write of the ledger.
    func submit(_ write: Ledger.Write) {
        let id = session.submit(write.command)
        keys[id] = write.key
    }

    /// Submits a command without a key, or that reads; the answer is for the caller.
    func ask(_ command: ClientCommand, onReply: @escaping (ClientReply) -> Void) {
        session.submit(command, onReply: onReply)
    }

    func drop() { session.dropConnection() }

    func stop() {
        isStopped = true
        session.stop()
    }
}

/// Counts that a device received.
struct ToldCounts {
    let counts: UnreadCounts
    /// The position of the device's last event before them.
    let after: Int64
    /// Whether they may be of an earlier position than the counts before them. The `hello` of one node tells of
    /// entries that the device has not seen yet; when the device leaves this node before it has read them, the next
    /// node need only have applied what the device's cursor stands for.
    let mayBeEarlier: Bool
}

extension Device: ClientSessionDelegate {
    func report(_ report: ClientSessionReport, from session: ClientSession) {
        switch report {
        case .online(let hello):
            if welcomedAt == nil { welcomedAt = hello.seq.value }
            if presentAt == nil { presentAt = isComplete ? 0 : hello.seq.value }
            tell(hello.unread, mayBeEarlier: ports.count > 1)
        case .live(let position): if beganAt == nil { beganAt = isComplete ? 0 : position.value }
        case .reset(let reason):
            guard ledger.mayReset else { return ledger.broke("\(name) was told to begin anew: \(reason)") }
            if let write = ledger.youngWrite(upTo: cursor + 1) {
                ledger.broke("\(name) had \(cursor) and was told to begin anew, \(reason): \(write.key) is not old")
            }
            wasReset = true
            lastNumbers = [:]
        case .event(let event): take(event)
        case .reply(let id, let reply):
            guard let key = keys.removeValue(forKey: id) else { return }
            ledger.answered(key, of: user, reply)
            if case .ok(let body) = reply, let seq = body["seq"]?.integerValue, seq > answeredUpTo?.position ?? 0 {
                answeredUpTo = (seq, key)
            }
        case .violation(let violation): ledger.broke("\(name): the server broke the contract: \(violation)")
        case .offline:
            disconnectedAt = sim_now()
            move()
        case .ended(let end):
            if !isStopped, !isAboutTime(end), !ledger.isErased(user) { ledger.broke("\(name) was ended: \(end)") }
            isStopped = true
        }
    }

    /// Whether tokens were refused: after a jump of the wall clock they may have expired, or not be valid yet, twice in
    /// a row. And whether a node with another clock has given an earlier connection of the device the greater number.
    private func isAboutTime(_ end: ClientSessionEnd) -> Bool {
        switch end {
        case .refused(let refusal): refusal.code.errorClass == .auth
        case .transport(.closed(CloseCode.replaced.rawValue, _)): ports.count > 1 && ledger.ages.moves > 0
        case .transport(.closed(let code, _)): code == CloseCode.unauthenticated.rawValue
        case .transport, .stopped, .noToken, .otherUser: false
        }
    }

    private func tell(_ counts: UnreadCounts, mayBeEarlier: Bool) {
        self.counts = counts
        told.append(ToldCounts(counts: counts, after: events.last?.seq ?? 0, mayBeEarlier: mayBeEarlier))
    }

    private func take(_ event: ClientEvent) {
        if event.name == .unread, let counts = UnreadCounts(reading: event.body) {
            tell(counts, mayBeEarlier: false)
        }
        guard let position = event.position?.value else { return }
        if let answeredUpTo, position < answeredUpTo.position, !wasReset {
            ledger.broke(
                "\(name): the reply to \(answeredUpTo.key), at \(answeredUpTo.position), came before \(position)")
        }
        if let presentAt, position <= presentAt {
            ledger.broke("\(name) asked for nothing of the past, at \(presentAt), and was told \(position)")
        }
        if let last = events.last, position <= last.seq {
            ledger.broke("\(name): \(position) came behind \(last.seq)")
        }
        events.append(Event(seq: position, name: event.name, body: event.body))
        sim_note(UInt64(position))
        checkText(of: event)
        guard let chat = event.body["chat"]?.stringValue else { return }
        switch event.name {
        case .room: if event.concerns(user) { takeMembership(event.body, chat) }
        case .chatRenamed:
            if let new = event.body["to"]?.stringValue, new != chat {
                lastNumbers[new] = lastNumbers.removeValue(forKey: chat)
            }
        case .message: if let n = event.body["n"]?.integerValue { takeNumber(n, in: chat) }
        default: break
        }
    }

    private func takeMembership(_ body: JSONValue, _ chat: String) {
        switch body["change"] {
        case "created", "joined": rooms.insert(chat)
        case "left", "removed": rooms.remove(chat)
        default: break
        }
    }

    private func takeNumber(_ n: Int64, in chat: String) {
        // In a room people come and go, and the messages of somebody who is erased may be taken out of a chat.
        let mayLack = chat.hasPrefix("room:") || !ledger.social.erasures.isEmpty
        if let last = lastNumbers[chat] ?? (isComplete && !wasReset ? 0 : nil), mayLack ? n <= last : n != last + 1 {
            ledger.broke("\(name): message \(n) of \(chat) came behind \(last)")
        }
        lastNumbers[chat] = n
    }

    /// Checks that a text that was deleted before this connection is read no more. A node may lag.
    private func checkText(of event: ClientEvent) {
        guard let text = event.body["text"]?.stringValue, let goneAt = ledger.social.gone[text] else { return }
        if goneAt + (ports.count > 1 ? 60_000 : 0) < disconnectedAt {
            ledger.broke("\(name) got \(text), which was deleted before: \(event.body.text)")
        }
    }
}

extension ClientEvent {
    /// Whether a change of a room concerns a user.
    fileprivate func concerns(_ user: UserID) -> Bool {
        body["user"]?.stringValue == user.text || body["users"]?.arrayValue?.contains(.string(user.text)) == true
    }
}
