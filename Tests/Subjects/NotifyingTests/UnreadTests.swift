import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import TestSupport
import Testing
import TriggerExecution

/// Four people who do everything that changes a count, compared with a count by hand.
///
/// The unread count is checked three times: in the database, in the reply of the lists, and on a connected device that
/// only processes commits.
private struct UnreadModel {
    struct Sent {
        let position: Int64
        /// The name of an inbox, a topic, or `everyone`.
        let stream: String
        let collapse: String?
        var expires: Timestamp?
        /// The recommendation of the notification; the notification is removed when the message is read.
        var message: (chat: String, n: Int)?
        var isRemoved = false
        /// People who were notified through another topic, and are not notified again.
        var told: Set<String> = []
    }

    let names = ["alice", "bob", "carol", "dave"]
    var random: SeededRandom
    let house: House
    /// Authors of the messages of each chat, in order.
    var authors: [String: [String]] = [:]
    var read: [String: Int] = [:]
    var follows: [String: [String: Int64]] = [:]
    var sent: [Sent] = []
    var seenUpTo: [String: Int64] = [:]
    var seen: [String: Set<Int64>] = [:]
    var archived: [String: Set<Int64>] = [:]
    var broadcasts: [(id: String, position: Int64)] = []

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        house = try House.filmNetwork()
        for name in names {
            _ = try house.connect(name)
            seenUpTo[name] = try house.entry(name).seenUpTo.value
        }
    }

    func chats(_ name: String) -> Int64 {
        Int64(
            authors.count { chat, authors in
                chat.split(separator: ":").contains(Substring(name))
                    && authors.dropFirst(read["\(name) \(chat)", default: 0]).contains { $0 != name }
            }
        )
    }

    func isReadable(_ one: Sent, by name: String) -> Bool {
        if one.stream == name || one.stream == "everyone" { return true }
        if one.told.contains(name) { return false }
        return follows[name]?[one.stream].map { one.position > $0 } ?? false
    }

    func live(_ name: String) -> [Sent] {
        sent.filter {
            !$0.isRemoved && isReadable($0, by: name) && !archived[name, default: []].contains($0.position)
        }
    }

    func isSeen(_ one: Sent, by name: String) -> Bool {
        one.position <= seenUpTo[name, default: 0] || seen[name, default: []].contains(one.position)
    }

    func notifications(_ name: String) -> Int64 { Int64(live(name).count { !isSeen($0, by: name) }) }

    func agrees() throws -> Bool {
        try names.allSatisfy { name in
            let counts = UnreadCounts(chats: chats(name), notifications: notifications(name))
            let entry = try house.entry(name)
            return try house.counts(name) == counts
                && house.sessions[name]?.counts == counts
                && house.look { try $0.chats.countUnread(of: entry.id) } == counts.chats
        }
    }

    /// Records that the last write's notification is the newest entry of the log.
    mutating func expect(_ stream: String, collapse: String?) {
        if let collapse {
            for index in sent.indices where sent[index].stream == stream && sent[index].collapse == collapse {
                sent[index].isRemoved = true
            }
        }
        sent.append(Sent(position: house.head.value, stream: stream, collapse: collapse))
    }
}

extension UnreadModel {
    private mutating func one<Element>(of list: [Element]) -> Element {
        list[Int.random(in: 0..<list.count, using: &random)]
    }

    private static func chat(_ one: String, _ other: String) -> String { min(one, other) + ":" + max(one, other) }

    mutating func step() throws {
        let name = one(of: names)
        let other = one(of: names.filter { $0 != name })
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2, 3: try talk(name, other)
        case 4, 5: try markRead(name, other)
        case 6, 7: try follow(name, "user:\(other)", other)
        case 8: try follow(name, one(of: ["person:1", "person:2"]), nil)
        case 9: try publish()
        case 10, 11: try broadcast()
        case 12: try Bool.random(using: &random) ? cancel() : pass()
        case 13: try seeUpTo(name)
        case 14 where Bool.random(using: &random): try archiveSome(name)
        default: try seeSome(name)
        }
    }

    private mutating func talk(_ name: String, _ other: String) throws {
        let chat = Self.chat(name, other)
        let mayWrite = authors[chat] != nil || follows[name]?["user:\(other)"] != nil
        let isRecommendation = Bool.random(using: &random)
        do {
            let reply = try isRecommendation ? house.recommend(name, other) : house.send(name, other)
            #expect(mayWrite)
            authors[chat, default: []].append(name)
            #expect(reply.n == authors[chat].map { Int64($0.count) })
            if isRecommendation {
                expect(other, collapse: nil)
                sent[sent.count - 1].message = (chat, authors[chat, default: []].count)
            }
        } catch {
            #expect(!mayWrite, "\(error)")
        }
    }

    private mutating func markRead(_ name: String, _ other: String) throws {
        let chat = Self.chat(name, other)
        guard let count = authors[chat]?.count else { return }
        let n = Int.random(in: 1...count, using: &random)
        try house.markRead(name, chat, Int64(n))
        read["\(name) \(chat)"] = max(n, read["\(name) \(chat)", default: 0])
        for index in sent.indices where sent[index].stream == name {
            if let message = sent[index].message, message.chat == chat, message.n <= n { sent[index].isRemoved = true }
        }
    }

    private mutating func follow(_ name: String, _ topic: String, _ followed: String?) throws {
        let isOn = Int.random(in: 0..<3, using: &random) > 0
        let head = house.head.value
        let isNew = follows[name]?[topic] == nil
        try house.follow(name, topic, isOn: isOn)
        guard isOn else {
            follows[name, default: [:]][topic] = nil
            for index in sent.indices where sent[index].stream == followed && sent[index].collapse == "follower:\(name)"
            {
                sent[index].isRemoved = true
            }
            return
        }
        guard isNew else { return }
        follows[name, default: [:]][topic] = head + 1
        if let followed { expect(followed, collapse: "follower:\(name)") }
    }

    private mutating func publish() throws {
        let number = Int.random(in: 0...1_000_000, using: &random)
        if Bool.random(using: &random) {
            let author = one(of: names)
            try house.put("reviews/r\(number)", ["author": .string(author), "text": "good"])
            expect("user:\(author)", collapse: nil)
        } else {
            let person = one(of: ["1", "2"])
            let film = one(of: ["movie/1", "movie/2"])
            try house.delete("people/\(person)/credits/\(film)", isMissingFine: true)
            try house.put("people/\(person)/credits/\(film)", ["title": "T", "releaseDate": "2026-11-17"])
            let other = person == "1" ? "person:2" : "person:1"
            let isTold = sent.contains { $0.stream == other && $0.collapse == "release:\(film)" && !$0.isRemoved }
            expect("person:\(person)", collapse: "release:\(film)")
            if isTold { sent[sent.count - 1].told = Set(names.filter { follows[$0]?[other] != nil }) }
        }
    }

    private mutating func broadcast() throws {
        let audience = one(of: ["everyone", "person:1", "user:bob", "user:alice"])
        let collapse: String? = Bool.random(using: &random) ? one(of: ["a", "b"]) : nil
        let seconds: Int64? = Bool.random(using: &random) ? Int64.random(in: 1...90, using: &random) : nil
        let expires = seconds.map { house.now.adding(milliseconds: $0 * 1000) }
        let reply = try house.broadcast(audience, collapse: collapse, expires: expires)
        #expect(reply.seq == house.head.value)
        expect(audience.hasPrefix("user:") ? String(audience.dropFirst(5)) : audience, collapse: collapse)
        sent[sent.count - 1].expires = expires
        broadcasts.append((try #require(reply["id"]?.stringValue), house.head.value))
    }

    /// Lets time pass, and removes expired notifications.
    private mutating func pass() throws {
        house.now = house.now.adding(milliseconds: Int64.random(in: 1...60_000, using: &random))
        try house.write(FireDueTriggers(), by: "server")
        for index in sent.indices {
            if let expires = sent[index].expires, expires <= house.now { sent[index].isRemoved = true }
        }
    }

    private mutating func cancel() throws {
        guard !broadcasts.isEmpty else { return }
        let (id, position) = one(of: broadcasts)
        try house.write(CancelBroadcast(id: #require(Int64(id))), by: "admin")
        for index in sent.indices where sent[index].position == position { sent[index].isRemoved = true }
    }

    private mutating func seeUpTo(_ name: String) throws {
        let head = house.head.value
        let position = Int64.random(in: max(0, head - 60)...head, using: &random)
        let reply = try house.seen(name, upTo: position)
        seenUpTo[name] = max(position, seenUpTo[name, default: 0])
        #expect(reply["unread"]?.integerValue == notifications(name))
    }

    private mutating func seeSome(_ name: String) throws {
        let some = live(name).suffix(12).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        guard !some.isEmpty else { return }
        let ids = some.map { "n\($0.position)" }
        let reply = try house.seen(name, ids: Bool.random(using: &random) ? ids + ids : ids)
        for one in some { seen[name, default: []].insert(one.position) }
        #expect(reply["unread"]?.integerValue == notifications(name))
    }
}

extension UnreadModel {
    private mutating func archiveSome(_ name: String) throws {
        let some = live(name).suffix(12).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        guard !some.isEmpty else { return }
        let reply = try house.write(ArchiveNotifications(some.map { "n\($0.position)" }, key: nil), by: name)
        for one in some { archived[name, default: []].insert(one.position) }
        #expect(reply["unread"]?.integerValue == notifications(name))
    }
}

extension House {
    fileprivate func delete(_ path: String, isMissingFine: Bool) throws {
        let path = try DocumentPath(path)
        guard try look({ try $0.documents.find(path)?.body }) != nil else { return }
        try delete(path.text)
    }
}

struct UnreadTests {
    @Test(arguments: Seeds.first(2, of: 6))
    func `counts equal counting by hand, whatever people do`(seed: UInt64) throws {
        var model = try UnreadModel(seed: seed)
        for step in 1...700 {
            try model.step()
            guard try model.agrees() else {
                for name in model.names {
                    let shown = model.house.sessions[name]?.counts
                    Issue.record(
                        """
                        seed \(seed), step \(step), \(name): by hand \(model.chats(name)) \(model.notifications(name)), \
                        stored \(try model.house.counts(name)), shown \(String(describing: shown))
                        """
                    )
                }
                return
            }
            guard step.isMultiple(of: 50) else { continue }
            for name in model.names {
                let all = try model.house.notifications(name, limit: 200)
                #expect(all["unread"]?.integerValue == model.notifications(name))
                #expect(all.integers("notifications", "seq") == model.live(name).map(\.position).suffix(200).reversed())
                let unread = try model.house.notifications(name, limit: 200, isUnreadOnly: true)
                #expect(
                    unread.integers("notifications", "seq")
                        == model.live(name).filter { !model.isSeen($0, by: name) }.map(\.position).suffix(200)
                        .reversed()
                )
            }
        }
    }
}
