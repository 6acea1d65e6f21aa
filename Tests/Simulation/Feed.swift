import Client
import ClientProtocol
import EventLoop
import JSON
import Model
import Session
import SimulatedKernel
import Wire

/// The requests over HTTP: documents of a feed, and posted commands; one request after the other, each repeated with
/// its key until it is answered. One without a key is never repeated.
/// - Confinement: the one thread
final class Feed {
    enum Order {
        case document(Ledger.Document, key: WriteKey)
        case deletion(Ledger.Document, key: WriteKey)
        case name(Ledger.Name, key: WriteKey)
        case command(Ledger.Write)
        case notice(Ledger.Notice, key: WriteKey?)
        case withdrawal(Ledger.Notice)
        case trial(Ledger.Trial)
        case erasure(SocialLedger.Erasure, key: WriteKey)
        case question(Question)
    }

    /// A call that only reads.
    final class Question {
        let path: String
        fileprivate(set) var answer: JSONValue?

        init(_ path: String) { self.path = path }
    }

    private let connections: [HTTPConnection]
    private let ledger: Ledger
    private var orders: [Order] = []
    private var isAsking = false
    private var pausedUntil: Int64 = 0

    init(on loop: Loop, to ports: [UInt16], ledger: Ledger) throws {
        connections = try ports.map {
            HTTPConnection(on: loop, to: ServerAddress(try SocketAddress("127.0.0.1:\($0)")))
        }
        self.ledger = ledger
    }

    var isIdle: Bool { orders.isEmpty }

    func add(_ order: Order) { orders.append(order) }

    func close() { for connection in connections { connection.close() } }

    /// Sends the next request, if none is running.
    func step() {
        guard !isAsking, sim_now() >= pausedUntil, let order = orders.first, let request = Self.request(order) else {
            return
        }
        isAsking = true
        let connection = connections.count > 1 ? connections[Dice.below(connections.count)] : connections[0]
        connection.perform(request.http, timeoutMilliseconds: 8000) { [unowned self] result in
            isAsking = false
            switch result {
            case .success(let response): take(AdminAnswer(response), to: order)
            case .failure: fail(order)
            }
        }
    }

    /// The result of a request is not known: it is repeated, unless it is a trial or has no key.
    private func fail(_ order: Order) {
        pausedUntil = sim_now() + 300
        switch order {
        case .trial: orders.removeFirst()
        case .notice(let notice, nil):
            orders.removeFirst()
            notice.isUncertain = true
        default: break
        }
    }

    private static func request(_ order: Order) -> AdminRequest? {
        guard let admin = UserID("admin"), let adminToken = Machine.token(admin, isAdmin: true, seconds: 600) else {
            return nil
        }
        switch order {
        case .document(let document, let key):
            return AdminRequest("PUT", "documents/" + document.path, token: adminToken)
                .with(body: ["when": .string(document.when)]).with(key: key.text)
        case .deletion(let document, let key):
            return AdminRequest("DELETE", "documents/" + document.path, token: adminToken).with(key: key.text)
        case .name(let name, let key):
            return AdminRequest("PUT", "documents/people/" + name.person, token: adminToken)
                .with(body: ["name": .string(name.text)]).with(key: key.text)
        case .notice(let notice, let key):
            var body: JSONValue = ["audience": .string(notice.audience), "title": .string(notice.title)]
            if let at = notice.at { body["at"] = .string(at) }
            if let collapse = notice.collapse { body["collapse"] = .string(collapse) }
            let request = AdminRequest("POST", "broadcasts", token: adminToken).with(body: body)
            return key.map { request.with(key: $0.text) } ?? request
        case .withdrawal(let notice):
            return AdminRequest("DELETE", "broadcasts/" + (notice.id ?? "0"), token: adminToken)
        case .erasure(let erasure, let key):
            return AdminRequest("DELETE", "users/" + erasure.user.text, token: adminToken)
                .with(body: ["messages": .string(erasure.mode)]).with(key: key.text)
        case .question(let question): return AdminRequest("GET", question.path, token: adminToken)
        case .trial(let trial):
            let row: JSONValue = [
                "event": "create", "path": "people/{person}/credits/{product}", "audience": "followers:person:{person}",
                "kind": "trial", "title": "T",
            ]
            return AdminRequest("PUT", "triggers/" + trial.name, token: adminToken).with(body: row)
        case .command(let write):
            guard let token = Machine.token(write.user, seconds: 600),
                let body = try? JSONValue(parsing: write.command.encoded(id: nil))
            else { return nil }
            return AdminRequest("POST", "commands", token: token).with(body: body).with(key: write.key.text)
        }
    }

    private func take(_ answer: AdminAnswer, to order: Order) {
        switch (answer, order) {
        case (.done(let body), .document(let document, _)):
            orders.removeFirst()
            guard let seq = body["seq"]?.integerValue, body["version"]?.integerValue == 1 else {
                return ledger.broke("\(document.path), written once, was answered with \(body.text)")
            }
            document.seq = seq
        case (.done, .deletion): orders.removeFirst()
        case (.done(let body), .name(let name, _)):
            orders.removeFirst()
            name.seq = body["seq"]?.integerValue
        case (.done(let body), .notice(let notice, _)):
            orders.removeFirst()
            notice.id = body["id"]?.stringValue
        case (.done, .withdrawal), (.done, .trial): orders.removeFirst()
        case (.done(let body), .erasure(let erasure, _)):
            orders.removeFirst()
            erasure.id = body["erasure"]?.stringValue
            erasure.pseudonym = body["pseudonym"]?.stringValue
        case (.done(let body), .question(let question)):
            orders.removeFirst()
            question.answer = body
        case (.done(let body), .command(let write)):
            orders.removeFirst()
            ledger.answered(write.key, of: write.user, .ok(body["ok"] ?? body))
        case (.refused(let refusal), _):
            switch (refusal.code.errorClass, order) {
            case (.permanent, .command(let write)):
                orders.removeFirst()
                ledger.answered(write.key, of: write.user, .refused(refusal))
            case (.permanent, .withdrawal) where refusal.code == .notFound && ledger.mayReset:
                // It was withdrawn before, and the entry is trimmed.
                orders.removeFirst()
            case (.permanent, .notice(let notice, _)) where notice.at != nil && refusal.isOf("at"):
                // It was on its way for longer than it should have waited.
                orders.removeFirst()
            case (.auth, .command(let write)) where ledger.isErased(write.user): orders.removeFirst()
            case (.permanent, .document), (.permanent, .deletion), (.permanent, .name), (.permanent, .notice),
                (.permanent, .withdrawal), (.permanent, .trial), (.permanent, .erasure), (.permanent, .question):
                ledger.broke("what the feed wrote was refused: \(refusal.message), \(order)")
            case (.retry, _), (.limit, _), (.auth, _): fail(order)
            }
        case (.strange(let status, let start), _):
            ledger.broke("HTTP answered with \(status) \(start)")
        }
    }
}
