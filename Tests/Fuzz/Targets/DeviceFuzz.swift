import ClientProtocol
import JSON
import Model
import Session

/// A hostile server: every line of an input is a message of the server, or something that happens to a device (`>tick`).
///
/// The machines of a device take all of them. The cursor is never ahead of the store, no event is reported
/// twice on a connection, nothing happens after the end, and an answer belongs to a command.
struct DeviceFuzz: FuzzTarget {
    static let name = "Device"
    /// Lines beyond these are left out: an input is slow enough.
    private static let linesMax = 400

    init() {}

    func check(_ input: [UInt8]) throws {
        var device = FuzzedDevice()
        for line in lines(input, atMost: Self.linesMax) {
            try device.take(line)
            try expect(device.finding == nil, device.finding ?? "")
        }
    }
}

/// A device whose socket, clock and store are the lines of an input.
private struct FuzzedDevice {
    private var session: ClientSessionState
    private var outbox = Outbox(OutboxConfiguration(user: "alice"), chance: Chance([0.5]))
    private var rows = KnownRows()
    private var now: Int64 = 1000
    private var isEnded = false
    private var submitted: Set<Int64> = []
    /// Writes under way, by the number of their command.
    private var flying: [Int64: String] = [:]
    /// The point up to which the store has everything.
    private var stored: ResumePoint?
    private var reached: ResumePoint?
    private var epoch: Epoch?
    private var lastReported = Position.zero
    /// Whether `hello` is answered on this connection.
    private var isOnline = false
    private var writes = 0
    /// A property that is broken.
    private(set) var finding: String?

    init() {
        var configuration = ClientSessionConfiguration(device: "fuzz")
        configuration.storesEvents = true
        configuration.returnsAfterReplacement = true
        configuration.retriesRefusals = true
        session = ClientSessionState(configuration, chance: Chance([0.5]))
        session.start(at: now)
        perform()
        session.opened(token: "token", at: now)
        perform()
    }

    mutating func take(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case ">tick":
            now += min(max(words.dropFirst().first.flatMap { Int64($0) } ?? 1000, 0), 86_400_000)
            session.tick(at: now)
        case ">end": session.transportEnded(.lost(nil), at: now)
        case ">closed":
            let code = words.dropFirst().first.flatMap { UInt16($0) }
            session.transportEnded(.closed(code: code, reason: ""), at: now)
        case ">open": session.opened(token: words.count > 1 ? nil : "token", at: now)
        case ">hint":
            if let hint = words.dropFirst().first.flatMap(SystemHint.init) { session.hint(hint, at: now) }
        case ">store": store()
        case ">write": write(words.dropFirst().first ?? "send")
        case ">submit": submitted.insert(session.submit(ClientCommand(type: "chats"), at: now))
        default: session.receive(Array(line.utf8), at: now)
        }
        perform()
        checkCursor()
    }

    private mutating func store() {
        guard let reached else { return }
        stored = reached
        session.stored(reached, at: now)
    }

    private mutating func write(_ type: String) {
        writes += 1
        outbox.write(
            "k\(writes)", ["type": .string(type), "to": "bob", "text": "hi", "path": "users/alice/a/1", "data": [:]],
            at: now)
        performOutbox()
    }

    private mutating func perform() {
        for action in session.takeActions() {
            if isEnded, !Self.isAnswerToNobody(action) { finding = finding ?? "an action after the end: \(action)" }
            switch action {
            case .report(let report): take(report)
            case .reached(let point): reach(point)
            case .connect, .send, .disconnect, .renewToken: break
            }
        }
        if let deadline = session.nextDeadline, isEnded {
            finding = finding ?? "a session that has ended wants a call at \(deadline)"
        }
    }

    /// A command that is submitted after the end is lost at once.
    private static func isAnswerToNobody(_ action: ClientSessionAction) -> Bool {
        if case .report(.reply(_, .lost)) = action { true } else { false }
    }

    private mutating func take(_ report: ClientSessionReport) {
        switch report {
        case .online(let hello):
            epoch = hello.epoch
            if !isOnline { lastReported = .zero }
            isOnline = true
        case .live(let position):
            if let epoch { reach(ResumePoint(epoch: epoch, seq: position)) }
            outbox.live(time: now, at: now)
            performOutbox()
        case .reset:
            outbox.reset()
            lastReported = .zero
        case .event(let event): take(event)
        case .reply(let id, let reply): take(reply, of: id)
        case .offline, .ended:
            isOnline = false
            if case .ended = report { isEnded = true }
            outbox.offline()
            performOutbox()
        case .violation: break
        }
    }

    private mutating func take(_ event: ClientEvent) {
        if let position = event.position {
            // Before the answer to `hello` a server has no business to send any: they move nothing.
            if isOnline, position <= lastReported {
                finding = finding ?? "\(position) is reported after \(lastReported)"
            }
            lastReported = position
            if let epoch { reach(ResumePoint(epoch: epoch, seq: position)) }
            outbox.receive(event.body)
            performOutbox()
        }
        for change in Mirror(user: "alice").changes(by: event.body, in: rows) { rows.apply(change) }
        let chats = rows.rows.filter { $0.key.table == .chats }.map(\.value)
        let shown = Overlay(user: "alice", entries: outbox.entries).chats(chats)
        let steps = ListChange.steps(from: chats, to: shown, user: "alice")
        if steps.count > 2 * (chats.count + shown.count) { finding = finding ?? "\(steps.count) steps" }
    }

    private mutating func take(_ reply: ClientReply, of id: Int64) {
        if submitted.remove(id) == nil, flying.removeValue(forKey: id) == nil {
            finding = finding ?? "an answer to \(id), which was not asked"
        }
    }

    private mutating func performOutbox() {
        for action in outbox.takeActions(at: now) {
            switch action {
            case .keep(let entry): outbox.kept(entry.key, order: entry.order ?? Int64(writes))
            case .remove(let key): outbox.removed(key)
            case .send(let key, let command):
                let id = session.submit(
                    ClientCommand(type: command["type"]?.stringValue ?? "", command, persistence: .once), at: now)
                flying[id] = key
            default: break
            }
        }
    }

    private mutating func reach(_ point: ResumePoint) {
        if let reached, reached.epoch == point.epoch, reached.seq > point.seq { return }
        reached = point
    }

    private mutating func checkCursor() {
        guard let cursor = session.cursor, let stored else {
            if session.cursor != nil { finding = finding ?? "there is a cursor before anything was stored" }
            return
        }
        if cursor.epoch == stored.epoch, cursor.seq > stored.seq {
            finding = finding ?? "the cursor \(cursor.seq) is ahead of the store, \(stored.seq)"
        }
    }
}
