import ClientProtocol
import JSON
import Model

/// Checks that digests contain each collected notification once, and no other, and stay true.
/// - Confinement: any
struct DigestAudit {
    let ledger: Ledger
    let replay: Replay
    /// Positions of the collected notifications, by id.
    private var waiting: [String: Int64] = [:]
    private var standing: (id: String, items: Set<String>)?
    private var rang: Int64?

    init(ledger: Ledger, replay: Replay) {
        self.ledger = ledger
        self.replay = replay
    }

    /// - Parameter events: All events of the user.
    /// - Throws: ``Broken``
    mutating func run(_ events: [Device.Event]) throws {
        for event in events { try take(event) }
        if let gone = standing?.items.first(where: { replay.removed[$0] != nil }) {
            throw Broken("the digest of \(replay.user) still tells of \(gone), which was taken back")
        }
        // A clock that was set back has delayed the next one.
        guard ledger.ages.moves == 0 else { return }
        let visible = Set(replay.visible.map(\.id))
        if let left = waiting.keys.first(where: visible.contains) {
            throw Broken("no digest of \(replay.user) tells of \(left)")
        }
    }

    private mutating func take(_ event: Device.Event) throws {
        let (id, body) = (event.body["id"]?.stringValue ?? "", event.body)
        switch event.name {
        case .notificationSeen:
            let seen = body["upTo"]?.integerValue ?? 0
            waiting = waiting.filter { $0.value > seen }
        case .notificationRemoved:
            waiting[id] = nil
            if standing?.id == id, body["reason"] != "replaced" { standing = nil }
        case .notification where body["kind"] == "release":
            if body["reason"] == "digest" { waiting[id] = event.seq }
            if body["alert"] == nil { try ring(body) }
        case .notification where body["kind"] == "digest": try takeDigest(id, body)
        default: break
        }
    }

    private mutating func takeDigest(_ id: String, _ body: JSONValue) throws {
        let items = Set(body["data"]?["items"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        guard !items.isEmpty, Int64(items.count) == body["data"]?["count"]?.integerValue else {
            throw Broken("a digest of \(replay.user) counts what it does not list: \(body.text)")
        }
        if body["alert"] == nil {
            try ring(body)
            for item in items where waiting.removeValue(forKey: item) == nil {
                throw Broken("a digest of \(replay.user) tells of \(item), which does not wait: \(body.text)")
            }
        } else if standing.map({ !items.isStrictSubset(of: $0.items) }) ?? true {
            throw Broken("a digest of \(replay.user) was written anew with no less in it: \(body.text)")
        }
        standing = (id, items)
    }

    /// Two digests that interrupt are as far apart as the preference says, while nobody sets the clock.
    private mutating func ring(_ body: JSONValue) throws {
        guard ledger.ages.moves == 0, replay.user == World.people[3].text,
            let at = body["at"]?.stringValue.flatMap({ Timestamp($0) })?.milliseconds
        else { return }
        if let rang, at < rang + World.digestSeconds * 1000 {
            throw Broken("\(replay.user) was interrupted again after \(at - rang) ms: \(body.text)")
        }
        rang = at
    }
}
