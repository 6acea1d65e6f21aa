import Foundation
import JSON
import Model
import TestSupport
import Testing

/// From a document to the devices, over sockets: notifications that are sent, taken back and held back.
struct TriggerTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `a worse index rings once, a corrected one does not, a better one takes it back`() throws {
        let collection = server.name("stations")
        let admin = try server.admin()
        let row: JSONValue = [
            "event": "write", "path": .string("\(collection)/{station}"), "audience": "followers:station:{station}",
            "condition": "after ->> 'index' >= 4 AND after ->> 'index' <> coalesce(before ->> 'index', 0)",
            "withdraw": "after IS NULL OR after ->> 'index' <= 2", "collapse": .string("\(collection):{{station}}"),
            "alertOnce": true, "level": ["critical": "after ->> 'index' >= 6", "else": "time-sensitive"],
            "title": [
                "en": "{{number(after.pm10)}} µg/m³", "it": "{{number(after.pm10)}} µg/m³ alle {{time(after.at)}}",
            ],
        ]
        #expect(try admin.call("PUT", "/v1/triggers/\(collection)", row).status == 200)
        let station = server.name("s")
        let user = server.name("alice")
        let (phone, laptop) = (try server.device(user), try server.device(user))
        try phone.ok(["type": "preferences", "set": ["locale": "it"]])
        try phone.ok(["type": "follow", "topic": .string("station:\(station)")])
        func put(_ index: Int64, _ pm10: JSONValue) throws -> JSONValue {
            let document: JSONValue = ["index": .integer(index), "pm10": pm10, "at": "2026-11-21T09:00+01:00"]
            return try admin.call("PUT", "/v1/documents/\(collection)/\(station)", document).json()
        }
        _ = try put(2, 20)
        _ = try put(4, 1040.5)
        for device in [phone, laptop] {
            let told = try device.event("notification")
            #expect(told["title"] == "1.040,5 µg/m³ alle 09:00")
            #expect(told["level"] == "time-sensitive")
            #expect(told["alert"] == nil)
        }
        _ = try put(5, 1080)
        let corrected = try laptop.event("notification") { $0["title"] == "1.080 µg/m³ alle 09:00" }
        #expect(corrected["alert"] == false)
        #expect(corrected["reason"] == "updated")
        let answer = try put(1, 10)
        #expect(answer["triggers"]?.arrayValue?.first?["withdrawn"] == 1)
        for device in [phone, laptop] {
            let removed = try device.event("notification.removed") { $0["reason"] == "retracted" }
            #expect(removed["id"] == corrected["id"])
            try device.event("unread") { $0["notifications"] == 0 }
        }
        #expect(try phone.ok(["type": "notifications"])["notifications"] == [])
    }

    @Test func `a task reminds at its time, moves with it, and is done on every device at once`() throws {
        let collection = server.name("tasks")
        let admin = try server.admin()
        let row: JSONValue = [
            "event": "create", "path": .string("users/{user}/\(collection)/{task}"), "audience": "user:{user}",
            "withdraw": "after IS NULL OR after ->> 'done'", "title": "{{after.title}}",
            "at": "local_time(after ->> 'due', after ->> 'zone')",
        ]
        #expect(try admin.call("PUT", "/v1/triggers/\(collection)", row).status == 200)
        let user = server.name("alice")
        let (phone, laptop) = (try server.device(user), try server.device(user))
        let path = "/v1/documents/users/\(user)/\(collection)/1"
        // The local time of a zone without summer time, five hours and three quarters ahead.
        func wall(in seconds: Double) -> JSONValue {
            let time = Date().addingTimeInterval(seconds + 5.75 * 3600)
            return .string(String(Timestamp(milliseconds: Int64(time.timeIntervalSince1970 * 1000)).text.dropLast()))
        }
        func put(_ title: String, _ due: JSONValue) throws -> JSONValue? {
            let task: JSONValue = ["title": .string(title), "due": due, "zone": "Asia/Kathmandu"]
            return try admin.call("PUT", path, task).json()["triggers"]?.arrayValue?.first
        }
        #expect(try put("Popcorn", wall(in: 3600))?["scheduled"] != nil)
        #expect(try put("Popcorn, salted", wall(in: 1))?["scheduled"] != nil)
        for device in [phone, laptop] { #expect(try device.event("notification")["title"] == "Popcorn, salted") }
        _ = try admin.call("PATCH", path, ["done": true])
        for device in [phone, laptop] {
            #expect(try device.event("notification.removed")["reason"] == "retracted")
            try device.settle()
            #expect(device.durable.count { $0["type"] == "notification" } == 1)
        }
    }

    @Test func `reading on one device takes the notification from the other`() throws {
        let pair = try server.pair()
        let told = try pair.bobLaptop.event("notification") { $0["kind"] == "recommendation" }
        try pair.bobPhone.ok(["type": "read", "chat": .string(pair.chat), "n": 1])
        for device in [pair.bobPhone, pair.bobLaptop] {
            let removed = try device.event("notification.removed")
            #expect(removed["id"] == told["id"])
            #expect(removed["reason"] == "read")
            try device.event("unread") { $0["chats"] == 0 && $0["notifications"] == 1 }
        }
    }
}
