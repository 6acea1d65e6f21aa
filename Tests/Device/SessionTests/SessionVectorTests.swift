import ClientProtocol
import Foundation
import JSON
import Model
import Session
import TestSupport
import Testing

/// The runs of `Tests/SessionVectors`, played by these machines; the library in JavaScript plays the same.
@Suite struct SessionVectorTests {
    /// One run: its head and its steps.
    struct Run: Sendable, CustomTestStringConvertible {
        let head: JSONValue
        var steps: [JSONValue] = []
        var testDescription: String { head["about"]?.stringValue ?? "" }
    }

    static let runs: [Run] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "SessionVectors")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var runs: [Run] = []
        for file in files.sorted() where file.hasSuffix(".jsonl") {
            let text = (try? String(contentsOf: folder.appending(path: file), encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") {
                guard let value = try? JSONValue(parsing: Array(line.utf8), depthMax: 24) else { continue }
                if value["about"] != nil {
                    runs.append(Run(head: value))
                } else {
                    runs[runs.count - 1].steps.append(value)
                }
            }
        }
        return runs
    }()

    @Test func `there are runs`() {
        #expect(Self.runs.count { $0.head["machine"] == "session" } >= 130)
        #expect(Self.runs.count { $0.head["machine"] == "outbox" } >= 60)
        #expect(Self.runs.count { $0.head["machine"] == "mirror" } >= 15)
        #expect(Self.runs.count { $0.head["machine"] == "overlay" } >= 10)
        #expect(Self.runs.allSatisfy { !$0.steps.isEmpty })
    }

    @Test(arguments: runs) func `a run has the actions that it names`(_ run: Run) throws {
        var player = try Player(run.head)
        for (number, step) in run.steps.enumerated() {
            let at = try #require(step["at"]?.integerValue)
            let input = try #require(step["in"])
            let actions = try player.play(input, at: at)
            let wanted = step["out"]?.arrayValue ?? []
            guard actions.map(Canonical.init) == wanted.map(Canonical.init) else {
                let said = (JSONValue.array(actions).text, JSONValue.array(wanted).text)
                Issue.record("step \(number + 1), \(step["in"]?.text ?? ""):\n  \(said.0)\n  is not\n  \(said.1)")
                return
            }
            #expect(player.nextDeadline == step["deadline"]?.integerValue, "step \(number + 1)")
        }
    }
}

/// The machine that a run names.
private enum Player {
    case session(SessionPlayer), outbox(OutboxPlayer), mirror(MirrorPlayer), overlay(OverlayPlayer)

    init(_ head: JSONValue) throws {
        switch head["machine"] {
        case "session": self = .session(SessionPlayer(head))
        case "outbox": self = .outbox(OutboxPlayer(head))
        case "mirror": self = .mirror(MirrorPlayer(head))
        default:
            try #require(head["machine"] == "overlay")
            self = .overlay(OverlayPlayer(head))
        }
    }

    /// When the machine must be asked again at the latest; machines without a clock have none.
    var nextDeadline: Int64? {
        switch self {
        case .session(let player): player.state.nextDeadline
        case .outbox(let player): player.outbox.nextDeadline
        case .mirror, .overlay: nil
        }
    }

    mutating func play(_ input: JSONValue, at now: Int64) throws -> [JSONValue] {
        switch self {
        case .session(var player):
            defer { self = .session(player) }
            return try player.play(input, at: now)
        case .outbox(var player):
            defer { self = .outbox(player) }
            return try player.play(input, at: now)
        case .mirror(let player): return try player.play(input)
        case .overlay(var player):
            defer { self = .overlay(player) }
            return try player.play(input)
        }
    }
}

/// JSON whose members have no order.
private struct Canonical: Equatable {
    let text: String

    init(_ value: JSONValue) { text = Self.sorted(value).text }

    private static func sorted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            var result = JSONObject()
            for member in object.members.sorted(by: { $0.name < $1.name }) {
                result[member.name] = sorted(member.value)
            }
            return .object(result)
        case .array(let values): return .array(values.map(sorted))
        default: return value
        }
    }
}

/// Plays inputs as `Tests/SessionVectors/README.md` writes them, and writes the actions in the same way.
struct SessionPlayer {
    private(set) var state: ClientSessionState
    private var told = JSONValue.object(["name": "idle"])

    init(_ head: JSONValue) {
        let given = head["configuration"] ?? [:]
        var configuration = ClientSessionConfiguration(device: given["device"]?.stringValue)
        configuration.user = given["user"]?.stringValue
        configuration.since = Self.point(given["since"])
        configuration.locale = given["locale"]?.stringValue
        configuration.client = given["client"]?.stringValue
        configuration.backoff = Backoff(
            baseMilliseconds: given["baseMs"]?.integerValue ?? 500,
            capMilliseconds: given["capMs"]?.integerValue ?? 30_000)
        configuration.connectTimeoutMilliseconds = given["connectTimeoutMs"]?.integerValue ?? 10_000
        if let ackAfter = given["ackAfterMs"] { configuration.ackAfterMilliseconds = ackAfter.integerValue }
        configuration.inFlightMax = Int(given["inFlightMax"]?.integerValue ?? 128)
        configuration.silenceGraceMilliseconds = given["silenceGraceMs"]?.integerValue ?? 5000
        configuration.pingAfterMilliseconds = given["pingAfterMs"]?.integerValue ?? 5000
        configuration.pingTimeoutMilliseconds = given["pingTimeoutMs"]?.integerValue ?? 3000
        configuration.reconnects = given["reconnects"]?.boolValue ?? true
        configuration.storesEvents = given["storing"]?.boolValue ?? false
        configuration.returnsAfterReplacement = given["onReplaced"] == "reconnect"
        configuration.retriesRefusals = given["retriesRefusals"]?.boolValue ?? false
        configuration.retriesTokens = given["retriesTokens"]?.boolValue ?? false
        let fractions = (head["random"]?.arrayValue ?? []).map { $0.numberValue ?? 0 }
        state = ClientSessionState(configuration, chance: Chance(fractions))
    }

    private static func point(_ value: JSONValue?) -> ResumePoint? {
        guard let epoch = value?["epoch"]?.stringValue.flatMap(Epoch.init), let seq = value?["seq"]?.integerValue else {
            return nil
        }
        return ResumePoint(epoch: epoch, seq: Position(seq))
    }

    /// Plays one input.
    /// - Returns: the actions; a change of the state is the last.
    mutating func play(_ input: JSONValue, at now: Int64) throws -> [JSONValue] {
        let (name, value) = try #require(input.objectValue?.members.first.map { ($0.name, $0.value) })
        switch name {
        case "start": state.start(at: now)
        case "stop": state.stop()
        case "tick": state.tick(at: now)
        case "opened": state.opened(token: value["token"]?.stringValue, at: now)
        case "renew":
            value["token"] == nil ? state.renewalFailed() : state.renew(token: value["token"]?.stringValue, at: now)
        case "receive": state.receive(value.bytes, at: now)
        case "receiveText": state.receive(Array((value.stringValue ?? "").utf8), at: now)
        case "heard": state.heard(at: now)
        case "ended": state.transportEnded(try #require(Self.end(value)), at: now)
        case "abandon": state.abandon(try #require(value.integerValue))
        case "submit": _ = state.submit(try command(value), at: now)
        case "stored": state.stored(try #require(Self.point(value)), at: now)
        case "hint": state.hint(try #require(SystemHint(rawValue: value.stringValue ?? "")), at: now)
        default: Issue.record("an unknown input: \(name)")
        }
        var actions = state.takeActions().map(Self.written)
        let status = Self.written(state.status)
        if Canonical(status) != Canonical(told) { actions.append(["report": ["state": status]]) }
        told = status
        return actions
    }

    private func command(_ value: JSONValue) throws -> ClientCommand {
        let fields = try #require(value["command"]?.objectValue)
        let kind = try #require(CommandTable.types.first { $0.name == fields["type"]?.stringValue })
        let persistence: ClientCommand.Persistence? =
            switch value["persistence"] {
            case "once": .once
            case "untilAnswered": .untilAnswered
            default: nil
            }
        return ClientCommand(kind, fields, persistence: persistence)
    }

    static func end(_ value: JSONValue) -> TransportEnd? {
        guard let (name, detail) = value.objectValue?.members.first.map({ ($0.name, $0.value) }) else { return nil }
        switch name {
        case "closed":
            return .closed(
                code: detail["code"]?.integerValue.flatMap(UInt16.init(exactly:)),
                reason: detail["reason"]?.stringValue ?? "")
        case "refused": return .refused(status: Int(detail.integerValue ?? 0))
        case "badHandshake": return .badHandshake(detail.stringValue ?? "")
        case "violation": return .violation(detail.stringValue ?? "")
        case "encryption":
            return .encryption(
                detail["sentence"]?.stringValue ?? "", isCertificate: detail["certificate"]?.boolValue ?? false)
        case "lost": return .lost(detail.stringValue)
        default: return nil
        }
    }

    // MARK: Writing

    private static func written(_ action: ClientSessionAction) -> JSONValue {
        switch action {
        case .connect: ["connect": true]
        case .send(let bytes): ["send": (try? JSONValue(parsing: bytes)) ?? .null]
        case .disconnect(let code): ["disconnect": .integer(Int64(code))]
        case .renewToken: ["renewToken": true]
        case .reached(let point):
            ["report": ["reached": ["epoch": .string(point.epoch.text), "seq": .integer(point.seq.value)]]]
        case .report(let report): ["report": written(report)]
        }
    }

    private static func written(_ report: ClientSessionReport) -> JSONValue {
        switch report {
        case .online(let hello): ["online": hello.body]
        case .live(let head): ["live": .integer(head.value)]
        case .reset(let reason): ["reset": .string(reason)]
        case .event(let event): ["event": event.body]
        case .reply(let id, .ok(let body)): ["reply": ["command": .integer(id), "ok": body]]
        case .reply(let id, .refused(let refusal)): ["reply": ["command": .integer(id), "error": refusal.json]]
        case .reply(let id, .lost): ["reply": ["command": .integer(id), "lost": true]]
        case .violation(let violation): ["violation": written(violation)]
        case .offline(let end, let wait):
            ["offline": ["end": written(end), "reconnectInMs": wait.map { .integer($0) } ?? .null]]
        case .ended(.stopped): ["ended": "stopped"]
        case .ended(.noToken): ["ended": "noToken"]
        case .ended(.otherUser(let user)): ["ended": ["otherUser": .string(user)]]
        case .ended(.refused(let refusal)): ["ended": ["refused": refusal.json]]
        case .ended(.transport(let end)): ["ended": ["transport": written(end)]]
        }
    }

    private static func written(_ violation: ClientSessionViolation) -> JSONValue {
        switch violation {
        case .notAscending(let event, let cursor):
            ["notAscending": ["event": event.body, "cursor": .integer(cursor.value)]]
        case .countDiffers(let sent, let received):
            ["countDiffers": ["sent": .integer(sent), "received": .integer(received)]]
        case .unreadable: ["unreadable": true]
        case .unexpectedReply(let id):
            ["unexpectedReply": id.flatMap { try? JSONValue(parsing: Array($0.json.utf8)) } ?? .null]
        }
    }

    private static func written(_ end: TransportEnd) -> JSONValue {
        switch end {
        case .closed(let code, let reason):
            ["closed": ["code": code.map { .integer(Int64($0)) } ?? .null, "reason": .string(reason)]]
        case .refused(let status): ["refused": .integer(Int64(status))]
        case .badHandshake(let reason): ["badHandshake": .string(reason)]
        case .violation(let reason): ["violation": .string(reason)]
        case .encryption(let sentence, let isCertificate):
            ["encryption": ["sentence": .string(sentence), "certificate": .bool(isCertificate)]]
        case .lost(let sentence): ["lost": sentence.map { .string($0) } ?? .null]
        }
    }

    private static func written(_ status: ClientSessionStatus) -> JSONValue {
        var value: JSONValue
        switch status {
        case .idle: return ["name": "idle"]
        case .connecting: return ["name": "connecting"]
        case .catchingUp: return ["name": "catching-up"]
        case .live: return ["name": "live"]
        case .offline: return ["name": "offline"]
        case .closed: return ["name": "closed"]
        case .waiting(let until, let attempt):
            return ["name": "waiting", "until": .integer(until), "attempt": .integer(Int64(attempt))]
        case .signedOut(let reason):
            value = ["name": "signed-out"]
            value["reason"] = reason.map { .string($0) }
        case .blocked(let code, let reason):
            value = ["name": "blocked"]
            value["code"] = code.map { code in Int64(code).map { .integer($0) } ?? .string(code) }
            value["reason"] = reason.map { .string($0) }
        }
        return value
    }
}
