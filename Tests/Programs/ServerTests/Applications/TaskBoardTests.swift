import Configuration
import JSON
import Testing

/// `deploy/apps/task-board.json` from the task to the devices; the night is the one in which clocks are put forward.
struct TaskBoardTests {
    private static let plants = "users/anna/tasks/plants"

    private func stage() throws -> (stage: ApplicationStage, phone: Device, laptop: Device) {
        let stage = try ApplicationStage(.taskBoard, at: "2027-03-27T20:00:00Z")
        return (stage, try stage.device("anna", "en"), try stage.device("anna", "en", on: "laptop"))
    }

    /// Due at nine in Rome, which is seven in UTC from that night on, and eight before.
    private static func task(due: String = "2027-03-28T09:00:00") -> JSONValue {
        [
            "title": "Water the plants", "column": "todo", "due": .string(due), "zone": "Europe/Rome",
            "remindBefore": 60, "done": false, "version": 1,
        ]
    }

    @discardableResult
    private func write(_ device: Device, _ type: String, _ data: JSONValue, _ key: String) throws -> JSONValue {
        try device.ok(["type": .string(type), "path": .string(Self.plants), "data": data, "key": .string(key)])
    }

    @Test func `a reminder comes at the due time of the owner's zone, less what was asked for, on every device once`()
        throws
    {
        let (stage, phone, laptop) = try stage()
        try write(phone, "put", Self.task(), "k1")
        try stage.setClock("2027-03-28T05:59:58Z")
        try stage.settleSchedules()
        #expect(try phone.notifications().isEmpty)
        try stage.setClock("2027-03-28T06:00:00Z")
        for device in [phone, laptop] {
            let event = try device.event("notification")
            #expect(event["title"] == "Water the plants")
            #expect(event["body"] == "Due March 28, 2027 9:00\u{a0}AM")
            #expect(event["level"] == "time-sensitive")
            #expect(event["topic"] == "user:anna")
        }
        try stage.settleSchedules()
        #expect(try phone.notifications().count == 1)
    }

    @Test func `somebody who is away finds the reminder in the inbox, in the right language`() throws {
        let (stage, phone, _) = try stage()
        try stage.leave("luca", "it")
        try stage.put("users/luca/tasks/plants", Self.task())
        try stage.setClock("2027-03-28T06:00:00Z")
        try stage.settleSchedules()
        let later = try stage.inbox("luca", "it")
        #expect(later.texts("body") == ["Scadenza: 28 marzo 2027 09:00"])
        #expect(try phone.notifications().isEmpty)
    }

    @Test func `a reminder moves with its task, and edits of other kinds leave it where it is`() throws {
        let (stage, phone, _) = try stage()
        try write(phone, "put", Self.task(), "k1")
        try write(phone, "patch", ["due": "2027-03-28T12:00:00"], "k2")
        try write(phone, "patch", ["column": "doing", "version": 2], "k3")
        try stage.setClock("2027-03-28T08:59:00Z")
        try stage.settleSchedules()
        #expect(try phone.notifications().isEmpty)
        try stage.setClock("2027-03-28T09:00:00Z")
        #expect(try phone.event("notification")["body"] == "Due March 28, 2027 12:00\u{a0}PM")
    }

    @Test func `done on one device, it is withdrawn on the other, and from the inbox`() throws {
        let (stage, phone, laptop) = try stage()
        try write(phone, "put", Self.task(), "k1")
        try stage.setClock("2027-03-28T06:00:00Z")
        let id = try phone.event("notification")["id"]
        try laptop.event("notification")
        try write(laptop, "patch", ["done": true, "column": "done"], "k2")
        for device in [phone, laptop] {
            let removed = try device.event("notification.removed")
            #expect(removed["id"] == id)
            #expect(removed["reason"] == "retracted")
        }
        #expect(try phone.inbox() == [])
        #expect(try stage.inbox("anna", "en") == [])
    }

    @Test func `done before its time, it never comes; opened again, it does`() throws {
        let (stage, phone, _) = try stage()
        try write(phone, "put", Self.task(), "k1")
        try write(phone, "patch", ["done": true], "k2")
        try stage.setClock("2027-03-28T06:30:00Z")
        try stage.settleSchedules()
        #expect(try phone.notifications().isEmpty)
        try write(phone, "patch", ["done": false], "k3")
        #expect(try phone.event("notification")["title"] == "Water the plants")
    }

    @Test func `a task that gets a later time after its reminder takes the reminder back until then`() throws {
        let (stage, phone, _) = try stage()
        try write(phone, "put", Self.task(), "k1")
        try stage.setClock("2027-03-28T06:00:00Z")
        try phone.event("notification")
        try write(phone, "patch", ["due": "2027-03-29T09:00:00"], "k2")
        #expect(try phone.removals() == ["retracted"])
        try stage.setClock("2027-03-29T06:00:00Z")
        #expect(try phone.event("notification")["alert"] == nil)
        #expect(try phone.inbox().count == 1)
    }

    @Test func `a new title after the reminder is sent without a sound`() throws {
        let (stage, phone, _) = try stage()
        try write(phone, "put", Self.task(), "k1")
        try stage.setClock("2027-03-28T06:00:00Z")
        try phone.event("notification")
        try write(phone, "patch", ["title": "Water all the plants"], "k2")
        let event = try phone.event("notification")
        #expect(event["title"] == "Water all the plants")
        #expect(event["alert"] == false)
        try write(phone, "patch", ["column": "doing"], "k3")
        #expect(try phone.notifications().count == 2)
    }

    // MARK: Columns, priorities, categories

    @Test func `a priority says how a reminder comes, a category stands in it`() throws {
        let (stage, phone, _) = try stage()
        func make(_ path: String, _ data: JSONValue) throws {
            try phone.ok(["type": "put", "path": .string("users/anna/" + path), "data": data, "key": .string(path)])
        }
        try make("priorities/someday", ["name": "Someday", "level": "passive"])
        try make("categories/home", ["name": "Home"])
        var task = Self.task()
        task["priority"] = "someday"
        task["category"] = "home"
        try write(phone, "put", task, "k1")
        try stage.setClock("2027-03-28T06:00:00Z")
        let event = try phone.event("notification")
        #expect(event["level"] == "passive")
        #expect(event["body"] == "Due March 28, 2027 9:00\u{a0}AM · Home")
    }

    @Test func `a task in a column for finished tasks has no reminder, and an earlier one is withdrawn`() throws {
        let (stage, phone, laptop) = try stage()
        let column: JSONValue = ["name": "Finished", "order": 3, "done": true]
        try phone.ok(["type": "put", "path": "users/anna/columns/finished", "data": column, "key": "c"])
        try write(phone, "put", Self.task(), "k1")
        try write(phone, "patch", ["column": "finished"], "k2")
        try stage.setClock("2027-03-28T06:00:00Z")
        try stage.settleSchedules()
        #expect(try phone.notifications().isEmpty)
        try write(phone, "patch", ["column": "todo", "due": "2027-03-28T09:30:00"], "k3")
        try stage.setClock("2027-03-28T06:30:00Z")
        try laptop.event("notification")
        try write(phone, "patch", ["column": "finished"], "k4")
        #expect(try laptop.event("notification.removed")["reason"] == "retracted")
        #expect(try stage.inbox("anna", "en") == [])
    }

    @Test(arguments: ["columns", "priorities", "categories"])
    func `the parts of a board are the owner's, too, and every device of the owner sees them`(collection: String) throws
    {
        let (stage, phone, laptop) = try stage()
        let path = JSONValue.string("users/anna/\(collection)/one")
        try laptop.ok(["type": "watch", "path": .string("users/anna/\(collection)")])
        try phone.ok(["type": "put", "path": path, "data": ["name": "One"], "key": "k"])
        #expect(try laptop.event("document")["data"]?["name"] == "One")
        let mallory = try stage.device("mallory", "en")
        #expect(try mallory.refused(["type": "get", "path": path])["code"] == "not-found")
        #expect(try mallory.refused(["type": "put", "path": path, "data": [:], "key": "m"])["code"] == "forbidden")
    }

    // MARK: Repeated tasks

    /// Each Sunday at nine in Rome; the notification comes an hour before.
    private static func weekly(_ rule: JSONValue = "FREQ=WEEKLY;BYDAY=SU") -> JSONValue {
        var task = task()
        task["repeat"] = rule
        return task
    }

    @Test func `a repeated task rings at each of its times by the owner's clock, once what was before is done`() throws
    {
        let (stage, phone, laptop) = try stage()
        try write(phone, "put", Self.weekly(), "k1")
        for (index, time) in ["2027-03-28T06:00:00Z", "2027-04-04T06:00:00Z", "2027-04-11T06:00:00Z"].enumerated() {
            #expect(try phone.notifications().count == index)
            try stage.setClock(time)
            let event = try laptop.event("notification")
            #expect(event["title"] == "Water the plants")
            #expect(event["body"] == "Due 9:00\u{a0}AM")
            #expect(event["alert"] == nil)
            let done = time.replacing("T06", with: "T07")
            try write(phone, "patch", ["doneUntil": .string(done)], "done-\(index)")
            #expect(try laptop.event("notification.removed")["reason"] == "retracted")
        }
        #expect(try stage.inbox("anna", "en") == [])
    }

    @Test func `a repeated task that is ignored rings again at each of its times, and stops with the task`() throws {
        let (stage, phone, _) = try stage()
        try write(phone, "put", Self.weekly("FREQ=DAILY"), "k1")
        // The last night of March in which clocks are put forward, and the days after it.
        for time in ["2027-03-28T06:00:00Z", "2027-03-29T06:00:00Z", "2027-03-30T06:00:00Z"] {
            try stage.setClock(time)
            let event = try phone.event("notification")
            #expect(event["title"] == "Water the plants")
            #expect(event["alert"] == nil)
            #expect(try phone.inbox().count == 1)
        }
        try write(phone, "patch", ["done": true], "k2")
        try stage.setClock("2027-03-31T06:00:00Z")
        try stage.settleSchedules()
        #expect(try phone.notifications().count == 3)
        #expect(try stage.inbox("anna", "en") == [])
    }

    @Test func `a task that is done before its time does not ring, and the next one does`() throws {
        let (stage, phone, _) = try stage()
        try write(phone, "put", Self.weekly(), "k1")
        try write(phone, "patch", ["doneUntil": "2027-03-28T09:00:00"], "k2")
        try write(phone, "patch", ["column": "doing"], "k3")
        try stage.setClock("2027-03-28T06:00:00Z")
        try stage.settleSchedules()
        #expect(try phone.notifications().isEmpty)
        try stage.setClock("2027-04-04T06:00:00Z")
        try phone.event("notification")
    }

    @Test func `edits of other kinds leave it where it is, and the end of the rule ends it`() throws {
        let (stage, phone, _) = try stage()
        try write(phone, "put", Self.weekly("FREQ=WEEKLY;COUNT=2"), "k1")
        try stage.setClock("2027-03-28T06:00:00Z")
        try phone.event("notification")
        try write(phone, "patch", ["column": "doing"], "k2")
        #expect(try phone.notifications().count == 1)
        try stage.setClock("2027-04-04T06:00:00Z")
        _ = try phone.event("notification")
        try write(phone, "patch", ["doneUntil": "2027-04-04T09:00:00"], "k3")
        try stage.setClock("2027-04-11T08:00:00Z")
        try stage.settleSchedules()
        #expect(try phone.notifications().count == 2)
        try write(phone, "patch", ["repeat": .null, "due": "2027-04-12T09:00:00"], "k4")
        try stage.setClock("2027-04-12T06:00:00Z")
        #expect(try phone.event("notification")["body"] == "Due April 12, 2027 9:00\u{a0}AM")
        try write(phone, "patch", ["repeat": "FREQ=WEEKLY"], "k5")
        try write(phone, "patch", ["done": true], "k6")
        #expect(try stage.inbox("anna", "en") == [])
    }

    @Test func `every device of the owner reads, writes and watches a board, and nobody else does`() throws {
        let (stage, phone, laptop) = try stage()
        try laptop.ok(["type": "watch", "path": "users/anna/tasks"])
        try write(phone, "put", Self.task(), "k1")
        #expect(try laptop.event("document")["data"]?["title"] == "Water the plants")
        let mallory = try stage.device("mallory", "en")
        #expect(try mallory.refused(["type": "get", "path": .string(Self.plants)])["code"] == "not-found")
        #expect(try mallory.refused(["type": "watch", "path": "users/anna/tasks"])["code"] == "not-found")
        let patch: JSONValue = ["type": "patch", "path": .string(Self.plants), "data": ["done": true], "key": "m"]
        #expect(try mallory.refused(patch)["code"] == "forbidden")
    }
}
