import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import Privacy
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution
import Webhooks

/// Documents elsewhere that an erased person wrote by right of a rule.
struct ErasureDocumentTests {
    /// Erases alice after she has written a review.
    private func erase(documents: [String]) throws -> (house: House, erasure: ErasureEntry) {
        let house = try House.filmNetwork()
        for person in ["alice", "admin"] { _ = try house.actor(person) }
        try house.openReviews()
        _ = try house.review("alice", "7")
        return (house, try erase("alice", in: house, documents: documents))
    }

    private func erase(_ name: String, in house: House, documents: [String]) throws -> ErasureEntry {
        let chance = ErasureChance(String(repeating: "4f2c", count: 24))
        let answer = try house.write(
            EraseUser(try user(name), .redact, documents: documents, chance: chance, key: nil), by: "admin")
        #expect(answer["erasure"] == "x1" && answer["pseudonym"] == "~4f2c")
        while try house.look({ try $0.erasures.running()?.phase }) != ErasurePhase.files.rawValue {
            _ = try house.fact(of: EraseSlice(), by: "server")
        }
        _ = try house.fact(of: FinishErasure(1), by: "server")
        let erasure = try #require(try house.look { try $0.erasures.find(1) })
        #expect(erasure.name == nil && erasure.finished != nil)
        return erasure
    }

    /// A house in which the collection of reviews is watched, and somebody hears of each review.
    private func watchedHouse() throws -> House {
        let house = try House(triggers: [
            [
                "name": "review", "event": "write", "path": "reviews/{review}", "audience": "user:bob",
                "title": "{{before.text}}{{after.text}}", "webhook": "https://hooks.example/reviews",
            ]
        ])
        for person in ["alice", "bob", "admin"] { _ = try house.actor(person) }
        try house.openReviews()
        try house.write(OpenWatchedStream(.collection("reviews")), by: "server")
        return house
    }

    /// The places of a word in the log, the inboxes, the webhooks and the history.
    private func places(of word: String, in house: House) throws -> [String] {
        var places: [String] = []
        let events = try house.look { try $0.log.events(in: 1...house.head.value) }
        places += events.filter { $0.json?.contains(word) == true }.map { "log \($0.position)" }
        for position in 1...house.head.value {
            let (written, version) = try house.look { transaction in
                (
                    try transaction.notifications.findWritten(at: Position(position)),
                    try transaction.history.find(Position(position))
                )
            }
            if "\(written?.texts ?? "")\(written?.data ?? "")".contains(word) {
                places.append("notification \(position)")
            }
            if "\(version?.before ?? "")".contains(word) { places.append("version \(position)") }
        }
        for job in try house.look({
            try $0.webhooks.list(endpoint: nil, trigger: nil, state: nil, before: .max, limit: 99)
        })
        where try house.look({ try $0.webhooks.data(of: job.id) })?.contains(word) == true {
            places.append("webhook \(job.id)")
        }
        return places
    }

    @Test func `a document that goes leaves nothing where it was watched, and others hear that it is gone`() throws {
        let house = try watchedHouse()
        for text in ["firstword", "secondword"] {
            try house.put("reviews/7", ["author": "alice", "text": .string(text)])
        }
        let own = DocumentWrite(
            path: try DocumentPath("reviews/9"), operation: .put(["author": "alice", "text": "thirdword"]))
        try house.write(WriteDocuments(own, key: nil), by: "alice")
        try house.put("reviews/8", ["author": "bob", "text": "alice is firstword, thinks bob"])
        _ = try house.document("reviews/7", .patch(["text": "of a moderator"]))
        try house.write(
            WriteDocuments(
                DocumentWrite(path: DocumentPath("reviews/7"), operation: .patch(["text": "fourthword"])), key: nil),
            by: "alice")
        let bob = try house.connect("bob")
        let erasure = try erase("alice", in: house, documents: ["reviews/*"])
        #expect(erasure.kept == "[]")
        for word in ["secondword", "thirdword", "of a moderator", "fourthword"] {
            #expect(try places(of: word, in: house) == [], "\(word)")
        }
        let kept = try places(of: "thinks bob", in: house)
        #expect(kept.count == 3, "the words of others: \(kept)")
        #expect(bob.types.filter { $0 == "notification.removed" }.count == 5)
        let gone = try house.look { try $0.log.events(in: 1...house.head.value) }.compactMap(\.json)
        #expect(gone.filter { $0.contains(#""path":"reviews/7""#) && $0.hasSuffix(#""data":null}"#) }.count == 1)
        #expect(try house.look { try $0.documents.find(DocumentPath("reviews/8"))?.body } != nil)
    }

    @Test func `versions that were too large to keep leave nothing in the log`() throws {
        let house = try watchedHouse()
        let filling = String(repeating: "x", count: 60_000)
        for number in 1...80 {
            let data: JSONObject = ["author": "alice", "text": .string("largeword\(number) \(filling)")]
            try house.write(
                WriteDocuments(DocumentWrite(path: DocumentPath("reviews/1"), operation: .put(data)), key: nil),
                by: "alice")
        }
        #expect(try house.look { try $0.history.positions(of: "reviews/1", after: .zero, limit: 99).count } < 80)
        _ = try erase("alice", in: house, documents: ["reviews/*"])
        #expect(try places(of: "largeword", in: house) == [])
    }

    @Test(arguments: ["alice", "admin"])
    func `a document that is gone already leaves nothing, and does not stand in the certificate`(by deleter: String)
        throws
    {
        let house = try watchedHouse()
        _ = try house.review("alice", "goneword")
        try house.write(
            WriteDocuments(
                DocumentWrite(path: DocumentPath("reviews/goneword"), operation: .patch(["text": "laterword"])),
                key: nil),
            by: "alice")
        try house.put("reviews/shared", ["author": "alice", "text": "of a moderator"])
        let shared = DocumentWrite(path: try DocumentPath("reviews/shared"), operation: .patch(["text": "laterword"]))
        try house.write(WriteDocuments(shared, key: nil), by: "alice")
        for path in ["reviews/goneword", "reviews/shared"] {
            let deletion = DocumentWrite(path: try DocumentPath(path), operation: .delete)
            try house.write(WriteDocuments(deletion, key: nil), by: deleter)
        }
        let erasure = try erase("alice", in: house, documents: [])
        #expect(erasure.kept == "[]")
        #expect(try places(of: "laterword", in: house) == [])
        let left = try places(of: "of a moderator", in: house)
        #expect(left.count >= 3, "what a moderator has written stays: \(left)")
        let gone = try house.look { try $0.log.events(in: 1...house.head.value) }.compactMap(\.json)
        #expect(
            gone.filter { $0.hasSuffix(#""data":null}"#) }.count == 2, "devices that were away hear that they are gone")
    }

    @Test func `a role goes with its person, and somebody new of the name does not have it`() throws {
        let house = try watchedHouse()
        for name in ["alice", "alice2"] { try house.put("roles/librarian/users/\(name)", ["since": "2026"]) }
        try house.put("teams/1/users/alice", ["since": "2026"])
        _ = try erase("alice", in: house, documents: [])
        #expect(try house.look { try $0.documents.find(DocumentPath("roles/librarian/users/alice")) } == nil)
        #expect(try house.look { try $0.documents.find(DocumentPath("roles/librarian/users/alice2"))?.body } != nil)
        #expect(try house.look { try $0.documents.find(DocumentPath("teams/1/users/alice"))?.body } != nil)
    }

    @Test func `a reminder about a document that stays comes, unless it names the person`() throws {
        let house = try House(triggers: [
            [
                "name": "remind", "event": "write", "path": "tasks/{task}", "audience": ["user:bob", "user:alice"],
                "at": "after ->> 'due'", "title": "{{after.name}}",
            ]
        ])
        for person in ["alice", "bob", "admin"] { _ = try house.actor(person) }
        let rules: JSONObject = ["rules": ["tasks/{task}": ["read": "public", "write": "field:author"]]]
        try house.write(PutRules(rules, ifVersion: nil, key: nil), by: "admin")
        let due = house.now.adding(milliseconds: 60_000)
        for (task, name) in [("1", "call the bank"), ("2", "call alice")] {
            let data: JSONObject = ["author": "alice", "name": .string(name), "due": .string(due.text)]
            try house.write(
                WriteDocuments(DocumentWrite(path: DocumentPath("tasks/\(task)"), operation: .put(data)), key: nil),
                by: "alice")
        }
        try house.put("tasks/3", ["author": "bob", "name": "alice is a word here", "due": .string(due.text)])
        let erasure = try erase("alice", in: house, documents: [])
        #expect(erasure.kept == #"["tasks/1","tasks/2"]"#)
        let bob = try house.connect("bob")
        house.now = due
        try house.write(FireDueTriggers(), by: "server")
        #expect(Set(bob.titles) == ["call the bank", "alice is a word here"])
    }

    @Test func `a digest loses what is taken back, and keeps the rest`() throws {
        let house = try House(triggers: [
            [
                "name": "tip", "event": "create", "path": "recommendations/{r}", "kind": "tip",
                "audience": "user:{after.to}", "title": "{{after.from}} tips {{after.product.title}}",
            ]
        ])
        for person in ["alice", "bob", "carol", "admin"] { _ = try house.actor(person) }
        try house.write(ChangePreferences(["digest": ["tip": ["every": 60]]]), by: "bob")
        for person in ["alice", "carol"] { try house.follow(person, "user:bob") }
        for (person, title) in [("carol", "a"), ("alice", "b"), ("carol", "new b")] {
            try house.recommend(person, "bob", title: title)
        }
        house.now = house.now.adding(milliseconds: 61_000)
        try house.write(DeliverDue(), by: "server")
        let digest = try #require(try house.notifications("bob")["notifications"]?.arrayValue?.first)
        #expect(digest["kind"] == "digest" && digest.text.contains("alice tips b"))
        let bob = try house.connect("bob")
        _ = try erase("alice", in: house, documents: [])
        #expect(try places(of: "alice", in: house) == [])
        let left = try #require(
            try house.notifications("bob")["notifications"]?.arrayValue?.first { $0["kind"] == "digest" })
        #expect(left.text.contains("carol tips new b"), "\(left.text)")
        #expect(bob.events.filter { $0["type"] == "notification" }.allSatisfy { $0["alert"] == false })
    }

    @Test func `a document elsewhere stays, and the certificate lists it`() throws {
        let (house, erasure) = try erase(documents: [])
        #expect(erasure.kept == #"["reviews/7"]"#)
        #expect(try house.look { try $0.documents.find(DocumentPath("reviews/7"))?.body } != nil)
        let version = try #require(
            try house.look { transaction in
                try transaction.history.positions(of: "reviews/7", before: Position(Position.bound), limit: 1).first
                    .flatMap { try transaction.history.find($0) }
            })
        #expect(version.by == "user ~4f2c")
    }

    @Test func `a pattern takes it, with its versions`() throws {
        let (house, erasure) = try erase(documents: ["reviews/*"])
        #expect(erasure.kept == "[]")
        #expect(try house.look { try $0.documents.find(DocumentPath("reviews/7")) } == nil)
        #expect(
            try house.look {
                try $0.history.positions(of: "reviews/7", before: Position(Position.bound), limit: 1)
            }.isEmpty)
    }

    @Test func `nobody follows, blocks or invites a person whose erasure is at work`() throws {
        let house = try House.filmNetwork()
        for person in ["alice", "bob", "admin"] { _ = try house.actor(person) }
        try house.follow("bob", "user:alice")
        let room = try house.room("bob")
        let chance = ErasureChance(String(repeating: "4f2c", count: 24))
        try house.write(EraseUser(try user("alice"), .redact, documents: [], chance: chance, key: nil), by: "admin")
        while try house.look({ try $0.erasures.running()?.phase }) != ErasurePhase.inbox.rawValue {
            _ = try house.fact(of: EraseSlice(), by: "server")
        }
        let attempts: [() throws -> JSONValue] = [
            { try house.follow("bob", "user:alice") },
            { try house.write(BlockUser(user("alice"), isOn: true, key: nil), by: "bob") },
            { try house.invite("bob", room, ["alice"]) },
        ]
        for attempt in attempts {
            let refusal = try house.refusal(of: ["bob"], attempt)
            #expect(refusal.code == .notFound)
        }
        try house.follow("bob", "user:alice", isOn: false)
    }

    @Test func `nobody makes the name known again until it is invited`() throws {
        let (house, _) = try erase(documents: [])
        _ = try house.actor("bob")
        let refusal = try house.refusal(of: ["bob"]) { try house.follow("bob", "user:alice") }
        #expect(refusal.code == .notFound)
        let restrict = try house.refusal(of: ["bob"]) {
            try house.write(
                RestrictUser(try user("alice"), .mute, until: nil, reason: "spam", key: nil), by: "admin")
        }
        #expect(restrict.code == .notFound)
        #expect(try house.write(InviteUser(try user("alice"), key: nil), by: "admin")["isNew"] == true)
        #expect(try house.look { try $0.users.number(of: user("alice")) } != nil)
    }
}
