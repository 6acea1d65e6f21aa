import Client
import ClientProtocol
import JSON
import Model
import Session

/// One user of a replay with its devices, each a session of its own.
///
/// - Confinement: loop
final class ReplayBot {
    /// One device: it records its events in the ledger.
    private final class Device: ClientSessionDelegate {
        let session: ClientSession
        private let user: Int
        /// The nodes of the cluster, and the place of the one to connect to.
        private let servers: [ServerAddress]
        private var place: Int
        private let greeting: Greeting
        private let number: Int
        private unowned let bot: ReplayBot

        init(
            _ number: Int, of bot: ReplayBot, user: Int, servers: [ServerAddress], session: ClientSession,
            _ greeting: Greeting
        ) {
            self.number = number
            self.bot = bot
            self.user = user
            self.servers = servers
            self.session = session
            self.greeting = greeting
            place = user + number
            session.move(to: servers[place % servers.count])
        }

        /// Loses the connection; the next one goes to another node.
        func move() {
            session.dropConnection()
        }

        func report(_ report: ClientSessionReport, from session: ClientSession) {
            let run = bot.run
            switch report {
            case .event(let event): run.ledger.receive(event, user: user, device: number, at: .now)
            case .online(let hello):
                run.ledger.online(user: user, device: number, since: greeting.at)
                run.ledger.tell(hello.unread, user: user, device: number)
            case .live: bot.deviceIsLive(number)
            case .violation(let violation): run.ledger.receive(violation, user: user, device: number)
            case .reset(let reason):
                run.ledger.findings.add(.lost, "\(run.ledger.name(user, number)) was reset: \(reason)")
            case .offline:
                // The node may be gone: the cursor holds on the others as well.
                place += 1
                session.move(to: servers[place % servers.count])
            case .ended(.stopped), .reply: break
            case .ended(let end): run.fail("\(run.ledger.name(user, number)): the session ended: \(end)")
            }
        }
    }

    /// When a device has last made a `hello`; the server reads for it after that.
    ///
    /// - Confinement: loop
    private final class Greeting {
        var at: ContinuousClock.Instant?
    }

    unowned let run: ReplayRun
    let user: Int
    private var devices: [Device] = []
    private var liveOnce: Set<Int> = []
    /// Whether every device was live once and the state before the run is known.
    private(set) var isReady = false

    init(_ name: UserID, _ user: Int, in run: ReplayRun, servers: [ServerAddress], mint: TokenMint) {
        self.run = run
        self.user = user
        for number in 0..<run.plan.deviceCount {
            var configuration = ClientSessionConfiguration(device: "load-\(number + 1)")
            configuration.client = "watchwise-load"
            configuration.backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 2_000)
            let greeting = Greeting()
            let session = ClientSession(on: run.loop, server: servers[0], configuration: configuration) {
                greeting.at = .now
                return mint.token(for: name)
            }
            let device = Device(number, of: self, user: user, servers: servers, session: session, greeting)
            session.delegate = device
            devices.append(device)
        }
    }

    /// Whether every device is connected and has got everything that it missed.
    var isLive: Bool { devices.allSatisfy(\.session.isLive) }
    var pendingCount: Int { devices.reduce(0) { $0 + $1.session.pendingCount } }
    var reconnects: Int { devices.reduce(0) { $0 + $1.session.reconnects } }

    /// Connects every device.
    func start() {
        for device in devices { device.session.start() }
    }

    /// Ends every device's session.
    func stop() {
        for device in devices { device.session.stop() }
    }

    /// Makes one of the devices lose its connection and go to another node.
    func moveSomeDevice() {
        devices.randomElement()?.move()
    }

    /// Sends a command from one of the devices; they take turns.
    func submit(_ command: ClientCommand, turn: Int = 0, onReply: @escaping (ClientReply) -> Void) {
        devices[turn % devices.count].session.submit(command, onReply: onReply)
    }

    /// Asks for all pages of a list.
    /// - Parameter page: Makes the command from the `next` of the last page; nil at first.
    func collect(
        _ member: String,
        page: @escaping (String?) -> ClientCommand,
        done: @escaping (_ entries: [JSONValue], _ last: JSONValue) -> Void
    ) {
        collect(member, [], next: nil, page: page, done: done)
    }

    private func collect(
        _ member: String,
        _ before: [JSONValue],
        next: String?,
        page: @escaping (String?) -> ClientCommand,
        done: @escaping ([JSONValue], JSONValue) -> Void
    ) {
        submit(page(next)) { [unowned self] reply in
            switch reply {
            case .ok(let body):
                let entries = before + (body[member]?.arrayValue ?? [])
                guard let next = body["next"]?.stringValue else { return done(entries, body) }
                collect(member, entries, next: next, page: page, done: done)
            case .refused(let refusal): run.fail("\(page(next).name) was refused: \(refusal.message)")
            case .lost: break
            }
        }
    }

    private func deviceIsLive(_ number: Int) {
        guard !isReady, liveOnce.insert(number).inserted, liveOnce.count == devices.count else { return }
        collect("chats", page: { .chats(before: $0) }) { [unowned self] chats, _ in
            for chat in chats { begin(chat) }
            submit(.notifications(limit: 1)) { [unowned self] reply in
                if case .ok(let body) = reply {
                    run.ledger.accounts[user].unseenBefore = body["unread"]?.integerValue ?? 0
                }
                isReady = true
            }
        }
    }

    private func begin(_ entry: JSONValue) {
        let unread = entry["unread"]?.integerValue ?? 0
        guard let chat = entry["chat"]?.stringValue.flatMap(ChatID.init).flatMap({ run.ledger.chatIndex[$0] }),
            let side = run.ledger.chats[chat].users.firstIndex(of: user)
        else {
            run.ledger.accounts[user].otherUnreadChats += unread > 0 ? 1 : 0
            return
        }
        run.ledger.begin(
            chat: chat,
            side: side,
            last: entry["last"]?["n"]?.integerValue ?? 0,
            unread: unread,
            read: entry["read"]?.integerValue ?? 0
        )
    }
}

@available(*, unavailable)
extension ReplayBot: Sendable {}
