import JSON
import TestSupport
import Testing

/// A school with a configuration of its own, `Tests/Applications/school.json`: absences, homework and notices for parents with five
/// languages.
struct SchoolTests {
    /// A class, its teacher, and the parents of Lina: Paolo reads Italian, Amina Arabic.
    private struct Class {
        let stage: ApplicationStage
        /// Teaches; German.
        let tina: Device
        let paolo: Device
        let amina: Device

        init(at start: String) throws {
            stage = try ApplicationStage(configured: "school", at: start)
            try stage.put("roles/teacher/users/tina", [:])
            try stage.put("children/lina", ["name": "Lina", "parent1": "paolo", "parent2": "amina"])
            tina = try stage.device("tina", "de")
            paolo = try stage.device("paolo", "it")
            amina = try stage.device("amina", "ar")
        }

        /// The teacher reports an absence.
        ///
        /// - Returns: the reply.
        @discardableResult
        func report(_ id: String, of parents: [String?]) throws -> JSONValue {
            var data: JSONValue = [
                "child": "lina", "teacher": "tina", "lesson": 1, "answerUntil": "2027-01-15T07:30:00Z",
            ]
            for (number, parent) in parents.enumerated() {
                data["parent\(number + 1)"] = parent.map { .string($0) } ?? .null
            }
            let command: JSONValue = [
                "type": "put", "path": .string("absences/\(id)"), "data": data, "key": .string(id),
            ]
            return try tina.ok(command)
        }

        func move(to text: String) throws {
            try stage.setClock(text)
            try stage.settleSchedules()
        }
    }

    @Test func `an absence reaches both parents in their languages, though one of them blocks the teacher`() throws {
        let room = try Class(at: "2027-01-15T07:00:00Z")
        try room.amina.ok(["type": "block", "user": "tina"])
        try room.report("1", of: ["paolo", "amina"])
        #expect(try room.paolo.notifications().texts("title") == ["Lina è assente"])
        #expect(try room.paolo.notifications().texts("body") == ["Ora 1"])
        #expect(try room.amina.notifications().texts("title") == ["Lina غائب"])
        #expect(try room.amina.notifications().map { $0["level"] } == ["time-sensitive"])
    }

    @Test func `a child with one parent: that parent is notified, and the teacher is warned of the missing name`()
        throws
    {
        let room = try Class(at: "2027-01-15T07:00:00Z")
        let ok = try room.report("1", of: ["paolo", nil])
        #expect(try room.paolo.notifications().texts("title") == ["Lina è assente"])
        #expect(try room.amina.notifications().isEmpty)
        #expect(ok["warnings"]?.arrayValue?.count == 1, "\(ok.text)")
        let nobody = try room.report("2", of: [nil, nil])
        #expect(nobody["warnings"]?.arrayValue?.isEmpty == false, "\(nobody.text)")
    }

    @Test func `an absence without an answer rings at the teacher's, and an answer of a parent prevents it`() throws {
        let room = try Class(at: "2027-01-15T07:00:00Z")
        try room.report("1", of: ["paolo", "amina"])
        try room.report("2", of: ["paolo", "amina"])
        try room.paolo.ok(["type": "patch", "path": "absences/1", "data": ["answered": true], "key": "answer"])
        try room.move(to: "2027-01-15T07:29:58Z")
        #expect(try room.tina.notifications().isEmpty)
        try room.move(to: "2027-01-15T07:30:00Z")
        let rung = try room.tina.notifications()
        #expect(rung.texts("title") == ["Lina: keine Antwort"])
        #expect(rung.map { $0["level"] } == ["critical"])
        // A stranger neither reads an absence nor answers it.
        let stranger = try room.stage.device("mallory", "en")
        #expect(try stranger.refused(["type": "get", "path": "absences/2"])["code"] == "not-found")
        let answer: JSONValue = ["type": "patch", "path": "absences/2", "data": ["answered": true], "key": "mine"]
        #expect(try stranger.refused(answer)["code"] == "forbidden")
    }

    @Test func `homework rings at five by each parent's clock, and says the pages as they are then`() throws {
        let room = try Class(at: "2027-01-18T08:00:00Z")
        let kiran = try room.stage.device("kiran", "fr")
        try kiran.ok(["type": "preferences", "set": ["timeZone": "Asia/Kathmandu"]])
        for parent in [room.paolo, room.amina, kiran] { try parent.ok(["type": "follow", "topic": "class:3b"]) }
        let task: JSONValue = ["class": "3b", "subject": "Geo", "due": "2027-01-20", "pages": 1]
        try room.tina.ok(["type": "put", "path": "homework/1", "data": task, "key": "h1"])
        // The teacher corrects it before it is due.
        try room.tina.ok(["type": "patch", "path": "homework/1", "data": ["pages": 2], "key": "h2"])
        try room.move(to: "2027-01-19T11:15:00Z")
        #expect(try kiran.notifications().texts("body") == ["2 pages"])
        #expect(try room.paolo.notifications().isEmpty && room.amina.notifications().isEmpty)
        try room.move(to: "2027-01-19T16:00:00Z")
        #expect(try room.paolo.notifications().texts("title") == ["Geo per il 20 gennaio 2027"])
        #expect(try room.paolo.notifications().texts("body") == ["2 pagine"])
        #expect(try room.amina.notifications().texts("body") == ["صفحتان"])
        // And after it has rung: the same notification with other words, without a sound.
        try room.tina.ok(["type": "patch", "path": "homework/1", "data": ["pages": 3], "key": "h3"])
        #expect(try room.amina.inbox().texts("body") == ["3 صفحات"])
        #expect(try room.amina.notifications().count == 1)
    }

    @Test func `a notice goes to the members of the class's room, and to nobody who only knows its name`() throws {
        let room = try Class(at: "2027-01-18T08:00:00Z")
        let stranger = try room.stage.device("mallory", "en")
        for parent in [room.paolo, room.amina] { try parent.ok(["type": "preferences", "set": ["invites": "all"]]) }
        let made = try room.tina.ok(
            ["type": "room.create", "title": "3 B", "members": ["paolo", "amina"], "key": "room"])
        let chat = try #require(made["chat"])
        for topic in ["class:3b", "room:3b"] { try stranger.ok(["type": "follow", "topic": .string(topic)]) }
        try room.tina.ok(
            ["type": "put", "path": "notices/1", "data": ["room": chat, "text": "Zoo"], "key": "n1"])
        let own = { (device: Device) in try device.notifications().filter { $0["kind"] == "notice" }.texts("title") }
        #expect(try own(room.paolo) == ["Avviso: Zoo"])
        #expect(try own(room.amina) == ["إعلان: Zoo"])
        #expect(try own(stranger).isEmpty)
    }
}
