import JSON
import TestSupport
import Testing

/// A parcel service with a configuration of its own, `Tests/Applications/parcels.json`: parcels, drivers, customers without an account,
/// and tickets that wait for an answer.
struct ParcelTests {
    private static func stage(at start: String = "2027-01-15T10:00:00Z") throws -> ApplicationStage {
        let stage = try ApplicationStage(configured: "parcels", at: start)
        try stage.put("roles/dispatcher/users/dora", [:])
        try stage.put("statuses/out", ["it": "In consegna", "de": "Unterwegs zu dir", "en": "Out for delivery"])
        return stage
    }

    private static func put(_ device: Device, _ path: String, _ data: JSONValue, _ key: String) throws {
        try device.ok(["type": "put", "path": .string(path), "data": data, "key": .string(key)])
    }

    @Test func `a customer reads the state in words of the own language, from a document that has them`() throws {
        let stage = try Self.stage()
        let (dora, carl) = (try stage.device("dora", "en"), try stage.device("carl", "de"))
        var parcel: JSONValue = ["customer": "carl", "driver": "dan", "status": "out"]
        try Self.put(dora, "parcels/7", parcel, "k1")
        #expect(try carl.notifications().texts("title") == ["Unterwegs zu dir"])
        // A state without words shows itself, and replaces the one before.
        parcel["status"] = "customs"
        try Self.put(dora, "parcels/7", parcel, "k2")
        #expect(try carl.notifications().texts("title") == ["Unterwegs zu dir", "customs"])
        #expect(try carl.inbox().texts("title") == ["customs"])
        // The same state again says nothing.
        parcel["weight"] = 3
        try Self.put(dora, "parcels/7", parcel, "k3")
        #expect(try carl.notifications().count == 2)
    }

    @Test func `a parcel is read by its customer, its driver and a dispatcher, and by nobody else`() throws {
        let stage = try Self.stage()
        try stage.put("parcels/7", ["customer": "carl", "driver": "dan", "status": "out"])
        for user in ["carl", "dan", "dora"] {
            try stage.device(user, "en").ok(["type": "get", "path": "parcels/7"])
        }
        let mallory = try stage.device("mallory", "en")
        #expect(try mallory.refused(["type": "get", "path": "parcels/7"])["code"] == "not-found")
        let theft: JSONValue = ["type": "patch", "path": "parcels/7", "data": ["customer": "mallory"], "key": "k"]
        #expect(try mallory.refused(theft)["code"] == "forbidden")
    }

    @Test func `a link shows one parcel to somebody without an account, and no list of the others`() throws {
        let stage = try Self.stage()
        try stage.put("tracks/5f7c2a91/now/state", ["stops": 3])
        let visitor = try HTTPPeer(port: stage.server.port)
        let found = try visitor.request("GET", "/v1/documents/tracks/5f7c2a91/now/state")
        #expect(found.status == 200 && found.text.contains(#""stops":3"#), "\(found.text)")
        #expect(try visitor.request("GET", "/v1/documents?collection=tracks").status == 401)
        #expect(try visitor.request("GET", "/v1/documents/parcels/7").status == 401)
    }

    @Test func `two hundred drivers come near, and each customer hears it once, until the driver has been far again`()
        throws
    {
        let stage = try Self.stage()
        let carl = try stage.device("carl", "it")
        for driver in 0..<200 {
            let customer = driver == 0 ? "carl" : "customer-\(driver)"
            for meters: Int64 in [5000, 900, 400] {
                try stage.put("positions/d\(driver)", ["customer": .string(customer), "meters": .integer(meters)])
            }
        }
        #expect(try carl.notifications().texts("title") == ["Il corriere è vicino"])
        for driver in [1, 99, 199] { #expect(try stage.inbox("customer-\(driver)", "en").count == 1) }
        for meters: Int64 in [990, 2000, 300] {
            try stage.put("positions/d0", ["customer": "carl", "meters": .integer(meters)])
        }
        #expect(try carl.notifications().count == 2)
    }

    @Test
    func `a ticket that waits a quarter of an hour rings at the desk, moves with its time, and an answer drops it`()
        throws
    {
        let stage = try Self.stage()
        let (dora, carl) = (try stage.device("dora", "en"), try stage.device("carl", "de"))
        try dora.ok(["type": "follow", "topic": "desk:support"])
        func ticket(_ since: JSONValue) -> JSONValue {
            ["customer": "carl", "desk": "support", "subject": "Box", "waitingSince": since]
        }
        try Self.put(carl, "tickets/1", ticket("2027-01-15T10:00:00Z"), "k1")
        try Self.put(carl, "tickets/2", ticket("2027-01-15T10:00:00Z"), "k2")
        try Self.put(carl, "tickets/3", ticket("2027-01-15T10:00:00Z"), "k3")
        // One is answered, and to one the customer has added something.
        try Self.put(dora, "tickets/2", ticket(.null), "k4")
        try Self.put(carl, "tickets/3", ticket("2027-01-15T10:05:00Z"), "k5")
        try stage.setClock("2027-01-15T10:15:00Z")
        try stage.settleSchedules()
        #expect(try dora.notifications().texts("title") == ["Box: waiting for 15 minutes"])
        try stage.setClock("2027-01-15T10:20:00Z")
        try stage.settleSchedules()
        #expect(try dora.notifications().count == 2)
        #expect(try dora.notifications().allSatisfy { $0["level"] == "critical" })
    }
}
