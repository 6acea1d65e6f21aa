import ClientProtocol
import Execution
import JSON
import Model
import Privacy
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

// An erasure to its end, and what others have and get before and after it.
extension House {
    /// Alarms of a station, reminders, webhooks, dead letters, recommendations and new followers.
    static let rowsOfErasure: [JSONValue] = [
        [
            "name": "alarm", "event": "write", "path": "stations/{station}", "kind": "air",
            "audience": "followers:station:{station}", "condition": "after ->> 'index' >= 4",
            "rearm": "after ->> 'index' < 4", "throttle": ["max": 3, "seconds": 3600],
            "collapse": "station:{{station}}", "title": "{{station}}: bad air {{after.index}}",
            "data": ["station": "{{station}}", "from": "{{station}}"],
        ],
        [
            "name": "remind", "event": "write", "path": "tasks/{task}", "audience": "user:{after.who}",
            "at": "after ->> 'due'", "title": "Due: {{after.name}}", "data": ["task": "{{task}}"],
        ],
        [
            "name": "hook", "event": "write", "path": "orders/{order}", "audience": "user:{after.who}",
            "title": "Order {{order}}", "webhook": "https://hooks.example/orders",
        ],
        [
            "name": "broken", "event": "write", "path": "things/{thing}", "audience": "user:{after.absent}",
            "title": "{{thing}}",
        ],
        [
            "name": "tip", "event": "create", "path": "recommendations/{recommendation}",
            "audience": "user:{after.to}", "title": "{{after.from}} recommends {{after.product.title}}",
            "data": ["product": "{{after.product.id}}"],
        ],
        [
            "name": "follower", "event": "create", "path": "users/{user}/followers/{follower}",
            "audience": "user:{user}", "title": "New follower {{follower}}",
        ],
    ]

    /// Erases a person, to the end.
    ///
    /// - Returns: how many rows of each kind went.
    func erase(_ name: String) throws -> JSONObject {
        let chance = ErasureChance(String(repeating: "4f2c", count: 24))
        try write(EraseUser(try user(name), .redact, documents: [], chance: chance, key: nil), by: "admin")
        while try look({ try $0.erasures.running()?.phase }) != ErasurePhase.files.rawValue {
            _ = try fact(of: EraseSlice(), by: "server")
        }
        _ = try fact(of: FinishErasure(1), by: "server")
        let counts = try #require(try look { try $0.erasures.find(1)?.counts })
        return try #require(try JSONValue(parsing: Array(counts.utf8)).objectValue)
    }

    /// All that some people have, and all that waits for them.
    func picture(of people: [String]) throws -> [String: JSONValue] {
        var picture: [String: JSONValue] = [:]
        for person in people {
            picture["export of \(person)"] = .array(try export(of: person))
            picture["pending of \(person)"] = try read(
                ExplainPending(user: person, after: nil, limit: 99), by: "admin")
            picture["log of \(person)"] = .array(try log(of: person))
            let id = try entry(person).id
            picture["digests of \(person)"] = .string("\(try look { try $0.digests.all(of: id) })")
        }
        picture["webhooks"] = try read(
            ListWebhookDeliveries(endpoint: nil, trigger: nil, state: nil, before: nil, limit: 99), by: "admin")
        picture["dead"] = try read(ListDead(before: nil, limit: 99), by: "admin")
        return picture
    }

    /// The lines of a person's export; the first one has the head of the log.
    func export(of person: String) throws -> [JSONValue] {
        try look { transaction in
            var run = try UserExportRun(UserExport(of: user(person), omitsOthers: false, at: now), in: transaction)
            var bytes: [UInt8] = []
            while let piece = try run.next(in: transaction, bytesMin: 1 << 16) { bytes += piece }
            return try bytes.split(separator: UInt8(ascii: "\n")).dropFirst().map { try JSONValue(parsing: Array($0)) }
        }
    }

    /// The events that a device gets which has been away all the time.
    private func log(of person: String) throws -> [JSONValue] {
        let entry = try entry(person)
        let page = try look { try LogPage(of: entry, after: .zero, deviceLanguage: nil, limit: 500, in: $0) }
        return try page.events.map { try JSONValue(parsing: $0.bytes) }
    }
}
