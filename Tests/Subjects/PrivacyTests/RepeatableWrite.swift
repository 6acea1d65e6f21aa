import Execution
import Feeds
import JSON
import Model
import Notifying
import PersonalData
import Privacy
import Push
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution
import Triggers

@testable import ClientProtocol
import Webhooks

/// A write, and the house in which it has something to do.
struct RepeatableWrite: Sendable, CustomTestStringConvertible {
    /// Of the use case.
    let name: String
    private let useCase: @Sendable (House) throws -> any WriteUseCase
    private let actor: String
    private let prepare: @Sendable (House) throws -> Void

    var testDescription: String { name }

    private init(
        _ name: String, by actor: String, in prepare: @escaping @Sendable (House) throws -> Void = { _ in },
        _ useCase: @escaping @Sendable (House) throws -> any WriteUseCase
    ) {
        self.name = name
        self.actor = actor
        self.useCase = useCase
        self.prepare = prepare
    }

    func trace(isRepeated: Bool) throws -> House.Trace {
        let house = try Self.filled()
        try prepare(house)
        let useCase = try useCase(house)
        #expect("\(type(of: useCase))" == name)
        return try house.trace(of: useCase, by: actor, isRepeated: isRepeated)
    }

    /// The film network, with some people who follow.
    private static func filled() throws -> House {
        let house = try House.filmNetwork()
        for person in ["alice", "bob", "admin"] { _ = try house.actor(person) }
        try house.follow("alice", "person:525")
        try house.follow("alice", "user:bob")
        return house
    }

    static let all =
        documents + messages + rooms + notifications + triggers + outside + people + devices + pushes
        + moderation + erasure

    private static let film = "people/525/credits/movie/603"
    private static let past: JSONObject = ["title": "Tenet", "job": "Director", "releaseDate": "2026-11-17"]
    private static let ahead: JSONObject = ["title": "Dune", "job": "Director", "releaseDate": "2026-12-18"]

    // MARK: Moderation

    private static func reported(_ house: House) throws {
        try house.recommend("alice", "bob", note: "buy this")
        try house.report("bob", "alice", in: "alice:bob", n: 1)
    }

    private static let moderation = [
        RepeatableWrite(
            "BlockUser", by: "bob",
            in: {
                try $0.recommend("alice", "bob")
                try $0.put(trigger: $0.messageRow)
            }
        ) { BlockUser(try user("alice"), isOn: true, key: try $0.key()) },
        RepeatableWrite("RestrictUser", by: "admin") {
            RestrictUser(
                try user("mallory"), .ban, until: $0.now.adding(milliseconds: 1000), reason: "spam", key: try $0.key())
        },
        RepeatableWrite("EndRestriction", by: "admin", in: { try $0.restrict("bob", .ban) }) { _ in
            EndRestriction(try user("bob"), nil)
        },
        RepeatableWrite("DeactivateUser", by: "admin") {
            DeactivateUser(try user("bob"), isOn: true, key: try $0.key())
        },
        RepeatableWrite("SetLimits", by: "admin") {
            SetLimits(try PersonLimits(["send": "30/10s"]), of: try user("bob"), key: try $0.key())
        },
        RepeatableWrite("ReportUser", by: "bob", in: { try $0.recommend("alice", "bob", note: "buy this") }) {
            ReportUser(
                ReportCommand(
                    user: try user("alice"), chat: try chat("alice:bob"), n: 1, category: .spam, reason: "spam",
                    key: try $0.key()))
        },
        RepeatableWrite("DecideReport", by: "admin", in: reported) {
            DecideReport(1, .delete, until: nil, statement: "rule 3", note: "first", key: try $0.key())
        },
        RepeatableWrite(
            "SweepReports", by: "server",
            in: {
                try reported($0)
                $0.now = $0.now.adding(milliseconds: 1000)
            }
        ) { _ in SweepReports(keptMilliseconds: 1000) },
        RepeatableWrite("SweepMessages", by: "server", in: aged) { _ in SweepMessages(keptMilliseconds: 1000) },
        RepeatableWrite("SweepNotifications", by: "server", in: aged) { _ in
            SweepNotifications(keptMilliseconds: 1000)
        },
    ]

    /// There are messages and notifications, and they are old.
    private static func aged(_ house: House) throws {
        try reported(house)
        house.now = house.now.adding(milliseconds: 1000)
    }

    // MARK: Erasure

    private static let chance = ErasureChance(String(repeating: "4f2c", count: 24))

    private static func erased(_ house: House) throws {
        try reported(house)
        _ = try house.write(
            EraseUser(try user("alice"), .redact, documents: ["reviews/*"], chance: chance, key: nil), by: "admin")
    }

    /// A house in which Alice is being erased.
    static func erasing() throws -> House {
        let house = try filled()
        try erased(house)
        return house
    }

    private static let erasure = [
        RepeatableWrite("EraseUser", by: "admin", in: reported) {
            EraseUser(try user("alice"), .redact, documents: ["reviews/*"], chance: chance, key: try $0.key())
        },
        RepeatableWrite("FinishErasure", by: "server", in: erased) { _ in FinishErasure(1) },
        RepeatableWrite("EraseAgain", by: "server", in: reported) { _ in
            let name = ErasedName(
                hash: ErasedNames.hash(of: try user("alice"), key: "4f2c"), at: Timestamp(milliseconds: 7),
                until: Timestamp(milliseconds: .max), isInvited: false)
            return EraseAgain(
                [ErasureLine(key: "4f2c", erased: name, mode: "redact", documents: "[]")], chance: chance)
        },
        RepeatableWrite(
            "InviteUser", by: "admin",
            in: {
                try erased($0)
                while try $0.look({ try $0.erasures.running()?.phase }) != ErasurePhase.files.rawValue {
                    _ = try $0.fact(of: EraseSlice(), by: "server")
                }
                _ = try $0.fact(of: FinishErasure(1), by: "server")
            }
        ) { InviteUser(try user("alice"), key: try $0.key()) },
        RepeatableWrite("EraseSlice", by: "server", in: erased) { _ in EraseSlice() },
    ]

    // MARK: Devices

    private static let devices = [
        RepeatableWrite("RegisterDevice", by: "alice") { try $0.registration() },
        RepeatableWrite("RemoveDevice", by: "alice", in: { try $0.write($0.registration(), by: "alice") }) { _ in
            RemoveDevice("phone")
        },
        RepeatableWrite("DeletePushDevice", by: "admin", in: { try $0.write($0.registration(), by: "alice") }) { _ in
            DeletePushDevice(id: 1)
        },
        RepeatableWrite("NoteDeviceUse", by: "server", in: { try $0.write($0.registration(), by: "alice") }) {
            NoteDeviceUse("phone", of: try $0.entry("alice").id, language: nil)
        },
    ]

    /// A push of Alice's waits.
    private static func queuedPush(_ house: House) throws {
        try house.addDevice(of: "alice")
        try house.broadcast("user:alice")
    }

    private static let pushes = [
        RepeatableWrite("SendBroadcast", by: "admin", in: { try $0.addDevice(of: "alice") }) {
            SendBroadcast(try $0.order("everyone", collapse: "news"), key: try $0.key())
        },
        RepeatableWrite("SendMessage", by: "bob", in: { try $0.addDevice(of: "alice") }) {
            _ = try $0.follow("bob", "user:alice")
            return SendMessage(
                SendCommand(recipient: .user(try user("alice")), text: "hi", replyTo: nil, key: try $0.key()))
        },
        RepeatableWrite("SettlePushes", by: "server", in: queuedPush) { house in
            SettlePushes(try house.page(of: house.pushJob))
        },
        RepeatableWrite("SettlePushes", by: "server", in: queuedPush) { house in
            SettlePushes(try house.page(of: house.pushJob, .dead))
        },
        RepeatableWrite(
            "CancelBroadcast", by: "admin",
            in: {
                try queuedPush($0)
                try $0.push(try $0.pushJob)
            }
        ) { _ in CancelBroadcast(id: 1) },
    ]

    // MARK: Documents

    private static let documents = [
        RepeatableWrite("WriteDocuments", by: "admin") {
            WriteDocuments(DocumentWrite(path: try DocumentPath(film), operation: .put(past)), key: try $0.key())
        },
        RepeatableWrite("WriteDocuments", by: "admin") {
            WriteDocuments(DocumentWrite(path: try DocumentPath(film), operation: .put(ahead)), key: try $0.key())
        },
        RepeatableWrite("WriteDocuments", by: "admin", in: { _ = try $0.put(film, ahead) }) { _ in
            WriteDocuments(DocumentWrite(path: try DocumentPath(film), operation: .delete), key: nil)
        },
        RepeatableWrite("WriteDocuments", by: "admin", in: { _ = try $0.put("items/1", ["n": 1]) }) { _ in
            WriteDocuments(
                batch: [
                    DocumentWrite(path: try DocumentPath("items/1"), operation: .patch(["n": 2])),
                    DocumentWrite(path: try DocumentPath("items/2"), operation: .put(["n": 1])),
                    DocumentWrite(path: try DocumentPath("users/carol/followers/alice"), operation: .put([:])),
                ], key: nil)
        },
        RepeatableWrite("WriteDocuments", by: "alice", in: own) {
            WriteDocuments(
                DocumentWrite(path: try DocumentPath("users/alice/notes/1"), operation: .patch(["n": 2])),
                key: try $0.key())
        },
        RepeatableWrite("OpenWatchedStream", by: "server") { _ in OpenWatchedStream(.collection("items")) },
        RepeatableWrite("PutRules", by: "admin") { _ in
            try PutRules(["rules": ["items/{item}": "public"]], ifVersion: 0, key: nil)
        },
        RepeatableWrite(
            "SweepStreams", by: "server",
            in: {
                try $0.write(OpenWatchedStream(.collection("items")), by: "server")
                try $0.follow("bob", "t:newest")
            }
        ) { _ in SweepStreams(after: .nobody, watched: WatchedPaths()) },
    ]

    /// Alice owns notes, one of which is watched.
    private static func own(_ house: House) throws {
        try house.write(
            PutRules(["rules": ["users/{user}/notes/{note}": "owner"]], ifVersion: nil, key: nil), by: "admin")
        try house.write(OpenWatchedStream(.document(DocumentPath("users/alice/notes/1"))), by: "server")
        try house.put("users/alice/notes/1", ["n": 1])
    }

    // MARK: Messages and people

    private static let messages = [
        RepeatableWrite("RecommendProduct", by: "alice") {
            RecommendProduct(
                RecommendCommand(
                    to: try user("bob"), product: try #require(Product(id: "movie/603")), note: "see it",
                    key: try $0.key()))
        },
        RepeatableWrite("SendMessage", by: "bob", in: { _ = try $0.recommend("alice", "bob") }) {
            SendMessage(
                SendCommand(
                    recipient: .chat(try chat("alice:bob")), text: "why?", replyTo: 1, key: try $0.key()))
        },
        RepeatableWrite("MarkRead", by: "bob", in: { _ = try $0.recommend("alice", "bob") }) { _ in
            MarkRead(ReadCommand(chat: try chat("alice:bob"), n: 1))
        },
        RepeatableWrite("EditMessage", by: "alice", in: { _ = try $0.recommend("alice", "bob", note: "see") }) {
            EditMessage(EditCommand(chat: try chat("alice:bob"), n: 1, text: "see it", revision: 1, key: try $0.key()))
        },
        RepeatableWrite(
            "DeleteMessage", by: "alice",
            in: {
                try $0.addDevice(of: "bob")
                try $0.put(trigger: $0.messageRow)
                try $0.send("alice", "bob")
                try $0.react("bob", "alice:bob", 1, "👍")
            }
        ) { DeleteMessage(DeleteCommand(chat: try chat("alice:bob"), n: 1, key: try $0.key())) },
        RepeatableWrite("ReactToMessage", by: "bob", in: { _ = try $0.recommend("alice", "bob") }) {
            ReactToMessage(
                ReactCommand(chat: try chat("alice:bob"), n: 1, emoji: "👍", isOn: true, key: try $0.key()))
        },
        RepeatableWrite("ArchiveChat", by: "bob", in: { _ = try $0.recommend("alice", "bob") }) {
            ArchiveChat(try chat("alice:bob"), isOn: true, key: try $0.key())
        },
        RepeatableWrite("AcknowledgePosition", by: "bob", in: { _ = try $0.recommend("alice", "bob") }) {
            AcknowledgePosition($0.head)
        },
    ]

    // MARK: Rooms

    /// A write into the room that Alice has made with Bob; Carol is no member.
    private static func inRoom(
        _ name: String, by actor: String = "alice", isOpen: Bool = false,
        _ useCase: @escaping @Sendable (House, ChatID) throws -> any WriteUseCase
    ) -> RepeatableWrite {
        RepeatableWrite(
            name, by: actor,
            in: {
                _ = try $0.actor("carol")
                let room = try $0.room("alice", ["bob"], isOpen: isOpen)
                try $0.send("bob", room)
            }
        ) { house in
            let rooms = try house.look { try $0.rooms.list(after: 0, limit: 1) }
            return try useCase(house, try #require(rooms.first).name)
        }
    }

    /// A write of Carol after an invitation by Alice.
    private static func invited(
        _ name: String, _ useCase: @escaping @Sendable (House, ChatID) throws -> any WriteUseCase
    ) -> RepeatableWrite {
        RepeatableWrite(
            name, by: "carol",
            in: {
                _ = try $0.actor("carol")
                try $0.ask("alice", $0.room("alice", ["bob"]), ["carol"])
            }
        ) { house in
            let rooms = try house.look { try $0.rooms.list(after: 0, limit: 1) }
            return try useCase(house, try #require(rooms.first).name)
        }
    }

    private static let rooms = [
        RepeatableWrite("CreateRoom", by: "alice") {
            let settings = RoomSettings(title: "Films", isOpen: true)
            return CreateRoom(
                RoomCreateCommand(settings: settings, members: [try user("bob"), try user("erin")], key: try $0.key()))
        },
        inRoom("UpdateRoom") { UpdateRoom(RoomUpdateCommand(chat: $1, title: "Series", pace: 3, key: try $0.key())) },
        inRoom("InviteToRoom") {
            InviteToRoom(RoomInviteCommand(chat: $1, members: [try user("carol")], key: try $0.key()))
        },
        invited("AcceptInvitation") { AcceptInvitation(RoomAcceptCommand(chat: $1, key: try $0.key())) },
        invited("DeclineInvitation") { DeclineInvitation(RoomDeclineCommand(chat: $1, key: try $0.key())) },
        inRoom("JoinRoom", by: "carol", isOpen: true) { JoinRoom(RoomJoinCommand(chat: $1, key: try $0.key())) },
        inRoom("LeaveRoom") { LeaveRoom(RoomLeaveCommand(chat: $1, key: try $0.key())) },
        inRoom("RemoveFromRoom") {
            RemoveFromRoom(RoomRemoveCommand(chat: $1, user: try user("bob"), ban: true, key: try $0.key()))
        },
        inRoom("SetRoomRole") {
            SetRoomRole(RoomRoleCommand(chat: $1, user: try user("bob"), role: .moderator, key: try $0.key()))
        },
        inRoom("MuteInRoom") { house, room in
            let until = house.now.adding(milliseconds: 1000)
            return MuteInRoom(RoomMuteCommand(chat: room, user: try user("bob"), until: until, key: try house.key()))
        },
        inRoom("SendMessage") {
            SendMessage(SendCommand(recipient: .chat($1), text: "hi", replyTo: nil, key: try $0.key()))
        },
        inRoom("DeleteMessage") { DeleteMessage(DeleteCommand(chat: $1, n: 1, key: try $0.key())) },
        inRoom("MarkRead") { MarkRead(ReadCommand(chat: $1, n: 1, key: try $0.key())) },
    ]

    private static let people = [
        RepeatableWrite("FollowTopic", by: "bob") {
            FollowTopic(try topic("user:alice"), isOn: true, key: try $0.key())
        },
        RepeatableWrite("FollowTopic", by: "alice") {
            FollowTopic(try topic("person:525"), isOn: false, key: try $0.key())
        },
        RepeatableWrite("RegisterUser", by: "server") { _ in
            RegisterUser(try user("carol"), deviceLanguage: LanguageTag("it"))
        },
        RepeatableWrite("KickUser", by: "admin") {
            KickUser(try user("alice"), reason: nil, revokes: true, key: try $0.key())
        },
        RepeatableWrite("RevokeTokens", by: "admin") {
            RevokeTokens(.user(try user("alice"), issuedUpTo: nil), until: nil, reason: "lost", key: try $0.key())
        },
        RepeatableWrite(
            "LiftRevocation", by: "admin",
            in: { try $0.write(RevokeTokens(.token("t"), until: nil, reason: nil, key: nil), by: "admin") }
        ) { _ in LiftRevocation(id: 1) },
    ]

    // MARK: Notifications

    /// Alice has a notification, and has put another off.
    private static func notified(_ house: House) throws {
        try house.broadcast("user:alice", "One")
        try house.broadcast("user:alice", "Two")
        let ids = [try #require(try house.notifications("alice").texts("notifications", "id").first)]
        let until = house.now.adding(milliseconds: 60_000)
        try house.write(SnoozeNotifications(SnoozeCommand(ids: ids, until: until)), by: "alice")
    }

    private static func ids(_ house: House) throws -> [String] {
        try house.notifications("alice").texts("notifications", "id")
    }

    /// A broadcast to a topic and to people.
    private static func several(_ house: House) throws -> BroadcastOrder {
        let scope = try BroadcastScope([.followers(try topic("person:1"))], users: ["alice", "bob"].map(user))
        return BroadcastOrder(
            audience: .several(scope), level: .active, texts: .none, data: [:], expires: nil, collapse: nil)
    }

    private static let notifications = [
        RepeatableWrite("SendBroadcast", by: "admin") {
            SendBroadcast(try $0.order("everyone", collapse: "news"), key: try $0.key())
        },
        RepeatableWrite("SendBroadcast", by: "admin") {
            let expires = $0.now.adding(milliseconds: 60_000)
            return SendBroadcast(try $0.order("online", expires: expires), online: 1, key: try $0.key())
        },
        RepeatableWrite("SendBroadcast", by: "admin") {
            let time = String($0.now.adding(milliseconds: 60_000).text.dropLast())
            return SendBroadcast(try $0.order("everyone", at: time), key: try $0.key())
        },
        RepeatableWrite(
            "DeliverDue", by: "server",
            in: {
                let time = $0.now.adding(milliseconds: 60_000).text
                try $0.broadcast("everyone", at: time)
                try $0.broadcast("everyone", at: String(time.dropLast()))
                $0.now = $0.now.adding(milliseconds: 60_000)
            }
        ) { _ in DeliverDue() },
        RepeatableWrite("CancelBroadcast", by: "admin", in: notified) { _ in CancelBroadcast(id: 1) },
        RepeatableWrite("SendBroadcast", by: "admin") { SendBroadcast(try several($0), key: try $0.key()) },
        RepeatableWrite(
            "ChangeBroadcast", by: "admin",
            in: { try $0.broadcast("everyone", at: $0.now.adding(milliseconds: 60_000).text) }
        ) {
            var change = BroadcastChange()
            change.audience = .several(try BroadcastScope([.everyone], except: [.user(try user("bob"))]))
            return ChangeBroadcast(id: 1, change, key: try $0.key())
        },
        RepeatableWrite("MarkSeen", by: "alice", in: notified) { MarkSeen(.ids(try ids($0))) },
        RepeatableWrite("MarkSeen", by: "alice", in: notified) { MarkSeen(.upTo($0.head)) },
        RepeatableWrite("ArchiveNotifications", by: "alice", in: notified) {
            ArchiveNotifications(try ids($0), key: try $0.key())
        },
        RepeatableWrite(
            "ArchiveNotifications", by: "alice",
            in: {
                try $0.follow("alice", "person:1")
                try $0.broadcast("person:1")
                try notified($0)
            }
        ) { ArchiveNotifications(try ids($0), key: try $0.key()) },
        RepeatableWrite("SnoozeNotifications", by: "alice", in: notified) {
            SnoozeNotifications(SnoozeCommand(ids: try ids($0), until: $0.now.adding(milliseconds: 60_000)))
        },
        RepeatableWrite(
            "DeliverDue", by: "server",
            in: {
                try notified($0)
                $0.now = $0.now.adding(milliseconds: 60_000)
            }
        ) { _ in DeliverDue() },
        RepeatableWrite("ChangePreferences", by: "alice") { _ in
            try ChangePreferences(["locale": "it", "timeZone": "Europe/Rome", "digest": ["broadcast": ["every": 600]]])
        },
        RepeatableWrite("SpreadDefaultPreferences", by: "server") { _ in
            SpreadDefaultPreferences(try DefaultPreferences(["timeZone": "Europe/Rome"]))
        },
    ]

    // MARK: Triggers

    private static let hooked: JSONObject = [
        "name": "hooked", "event": "write", "path": "items/{item}", "audience": "user:{item}", "title": "t",
        "webhook": "https://hooks.example/a",
    ]

    private static let triggers = [
        RepeatableWrite("LoadTriggers", by: "server") { _ in
            LoadTriggers([try TriggerDefinition(json: .object(hooked))])
        },
        RepeatableWrite("PutTrigger", by: "admin") { try PutTrigger(name: "hooked", row: hooked, key: $0.key()) },
        RepeatableWrite("PutTrigger", by: "admin", in: { _ = try $0.put(film, ahead) }) { house in
            var row = try StoredJSON.object(
                #require(try house.look { try $0.triggers.find("director-release") }), place: "triggers.row")
            row["kind"] = "other"
            return try PutTrigger(name: "director-release", row: row, key: nil)
        },
        RepeatableWrite("DeleteTrigger", by: "admin", in: { _ = try $0.put(film, ahead) }) { _ in
            DeleteTrigger(name: "director-release")
        },
        RepeatableWrite(
            "FireDueTriggers", by: "server",
            in: {
                try $0.put(film, ahead)
                $0.now = try #require(Timestamp("2026-12-18T12:00:00Z"))
            }
        ) { _ in FireDueTriggers() },
        RepeatableWrite(
            "ReplayTrigger", by: "admin",
            in: {
                try $0.put("items/alice", ["n": 1])
                try $0.put(trigger: .object(hooked))
            }
        ) { ReplayTrigger(try ReplayRange(name: "hooked", from: 1, to: $0.head.value, limit: nil), key: nil) },
    ]

    // MARK: Outside

    /// A webhook waits to be sent.
    private static func queued(_ house: House) throws {
        try house.put(trigger: .object(hooked))
        try house.put("items/alice", ["n": 1])
    }

    private static func attempt(_ house: House, _ outcome: WebhookAttempt.Outcome) -> SettleWebhooks {
        SettleWebhooks([
            WebhookAttempt(job: 1, number: 1, at: house.now, status: 410, answer: "no", outcome: outcome)
        ])
    }

    private static func feed(_ house: House) throws -> PutFeed {
        try PutFeed(name: "f", row: ["kind": "rss", "url": "https://e.org/rss"], configured: [], key: house.key())
    }

    private static let outside = [
        RepeatableWrite("NoteAudit", by: "server") { _ in
            NoteAudit(
                AuditNote(
                    .operator, actor: "ann", tokenID: "j1", address: "192.0.2.1", request: "r1", action: "user.kick",
                    target: "users/bob", detail: #"{"reason":"spam"}"#), .refused("forbidden"))
        },
        RepeatableWrite("SettleWebhooks", by: "server", in: queued) { attempt($0, .gone) },
        RepeatableWrite("ReplayWebhooks", by: "admin", in: { try deliver($0) }) {
            ReplayWebhooks(.delivered(trigger: "hooked", after: .zero), key: try $0.key())
        },
        RepeatableWrite(
            "EnableWebhook", by: "admin",
            in: {
                try queued($0)
                try $0.write(attempt($0, .gone), by: "server")
            }
        ) { EnableWebhook(id: 1, key: try $0.key()) },
        RepeatableWrite(
            "RetryDead", by: "admin",
            in: {
                try queued($0)
                try $0.write(attempt($0, .dead(reason: "no")), by: "server")
            }
        ) { RetryDead(id: 1, key: try $0.key()) },
        RepeatableWrite("DeleteDead", by: "admin", in: { try $0.bury("t", path: "items/1") }) { _ in DeleteDead(id: 1)
        },
        RepeatableWrite("PutFeed", by: "admin") { try feed($0) },
        RepeatableWrite("DeleteFeed", by: "admin", in: { try $0.write(feed($0), by: "admin") }) { _ in
            try DeleteFeed(name: "f", configured: [])
        },
        RepeatableWrite("RunFeed", by: "admin", in: { try $0.write(feed($0), by: "admin") }) {
            RunFeed(name: "f", configured: [], key: try $0.key())
        },
        RepeatableWrite("ApplyFeed", by: "server") { house in
            let progress = FeedProgress(target: "t", entityTag: "\"1\"", lastModified: nil, checked: house.now)
            return ApplyFeed(
                feed: "f", drafts: [FeedDraft(try DocumentPath(film), .fields(past))], progress: [progress],
                isQuiet: false)
        },
    ]

    private static func deliver(_ house: House) throws {
        try queued(house)
        try house.write(attempt(house, .delivered), by: "server")
    }
}
