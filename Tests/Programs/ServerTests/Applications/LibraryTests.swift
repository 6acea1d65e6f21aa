import JSON
import Model
import Testing

/// A public library with a configuration of its own: loans, reservations, closures and fines, for readers with three
/// languages in three time zones, on the days around the nights in which clocks change.
struct LibraryTests {
    /// A loan, and the times of its notifications: two days before it is due, and on the three days after, at nine
    /// o'clock in the reader's zone.
    struct Loan: Sendable, CustomTestStringConvertible {
        let reader: String
        let due: String
        let soon: String
        let overdue: [String]
        let title: String
        let body: String
        let reminder: String

        var testDescription: String { "\(reader), \(due)" }
    }

    private static let people = [
        "ayse": ("tr", "Europe/Istanbul"), "bernd": ("de", "Europe/Berlin"), "carol": ("en", "America/New_York"),
    ]

    private static let loans = [
        // Istanbul's clocks never change.
        Loan(
            reader: "ayse", due: "2027-03-26", soon: "2027-03-24T06:00:00Z",
            overdue: ["2027-03-27T06:00:00Z", "2027-03-28T06:00:00Z", "2027-03-29T06:00:00Z"],
            title: "Momo için son gün: 26 Mart 2027", body: "İZMİR CADDESİ, saat 19:00", reminder: "Momo gecikti"),
        Loan(
            reader: "bernd", due: "2027-03-26", soon: "2027-03-24T08:00:00Z",
            overdue: ["2027-03-27T08:00:00Z", "2027-03-28T07:00:00Z", "2027-03-29T07:00:00Z"],
            title: "„Momo“ ist am 26. März 2027 fällig", body: "IZMIR CADDESI, bis 17:00 Uhr",
            reminder: "„Momo“ ist überfällig"),
        Loan(
            reader: "carol", due: "2027-03-12", soon: "2027-03-10T14:00:00Z",
            overdue: ["2027-03-13T14:00:00Z", "2027-03-14T13:00:00Z", "2027-03-15T13:00:00Z"],
            title: "Momo is due on March 12, 2027", body: "IZMIR CADDESI, until 11:00\u{a0}AM",
            reminder: "Momo is overdue"),
        Loan(
            reader: "bernd", due: "2027-10-29", soon: "2027-10-27T07:00:00Z",
            overdue: ["2027-10-30T07:00:00Z", "2027-10-31T08:00:00Z", "2027-11-01T08:00:00Z"],
            title: "„Momo“ ist am 29. Oktober 2027 fällig", body: "IZMIR CADDESI, bis 18:00 Uhr",
            reminder: "„Momo“ ist überfällig"),
        Loan(
            reader: "carol", due: "2027-11-05", soon: "2027-11-03T13:00:00Z",
            overdue: ["2027-11-06T13:00:00Z", "2027-11-07T14:00:00Z", "2027-11-08T14:00:00Z"],
            title: "Momo is due on November 5, 2027", body: "IZMIR CADDESI, until 12:00\u{a0}PM",
            reminder: "Momo is overdue"),
    ]

    private static func stage(at start: String) throws -> (stage: ApplicationStage, librarian: Device) {
        let stage = try ApplicationStage(configured: "library", at: start)
        try stage.put("branches/mitte", ["name": "izmir caddesi"])
        try stage.put("roles/librarian/users/olga", [:])
        return (stage, try stage.device("olga", "de"))
    }

    private static func reader(_ name: String, _ stage: ApplicationStage) throws -> Device {
        let (language, zone) = try #require(people[name])
        let device = try stage.device(name, language)
        let preferences = try device.ok(["type": "preferences"])
        // A reader in the library's own zone has set no zone.
        #expect(preferences["timeZone"] == "Europe/Istanbul")
        if zone != "Europe/Istanbul" { try device.ok(["type": "preferences", "set": ["timeZone": .string(zone)]]) }
        return device
    }

    @discardableResult
    private static func write(_ device: Device, _ path: String, _ data: JSONValue, _ key: String) throws -> JSONValue {
        try device.ok(["type": "put", "path": .string(path), "data": data, "key": .string(key)])
    }

    private static func loan(of reader: String, due: String, returned: Bool = false) -> JSONValue {
        [
            "title": "Momo", "reader": .string(reader), "due": .string(due), "branch": "mitte",
            "until": .string(due + "T16:00:00Z"), "returned": .bool(returned),
        ]
    }

    private static func before(_ time: String) throws -> String {
        try #require(Timestamp(time)).adding(milliseconds: -1000).text
    }

    // MARK: Loans

    @Test(arguments: loans)
    func `a loan is reminded of at nine there: before, and on three days after, however often it is ignored`(
        _ loan: Loan
    ) throws {
        let start = try #require(Timestamp(loan.due)).adding(milliseconds: -10 * 86_400_000).text
        let (stage, librarian) = try Self.stage(at: start)
        let phone = try Self.reader(loan.reader, stage)
        try Self.write(librarian, "loans/1", Self.loan(of: loan.reader, due: loan.due), "k1")

        try stage.setClock(Self.before(loan.soon))
        try stage.settleSchedules()
        #expect(try phone.notifications().isEmpty)
        try stage.setClock(loan.soon)
        let soon = try phone.event("notification")
        #expect(soon["title"]?.stringValue == loan.title)
        #expect(soon["body"]?.stringValue == loan.body)

        for (index, time) in loan.overdue.enumerated() {
            try stage.setClock(Self.before(time))
            try stage.settleSchedules()
            #expect(try phone.notifications().count == 1 + index, "before \(time)")
            try stage.setClock(time)
            let event = try phone.event("notification")
            #expect(event["title"]?.stringValue == loan.reminder)
            #expect(event["alert"] == nil)
            #expect(try phone.inbox().count == 2)
        }
        let after = try #require(Timestamp(loan.overdue[2])).adding(milliseconds: 3 * 86_400_000)
        try stage.setClock(after.text)
        try stage.settleSchedules()
        #expect(try phone.notifications().count == 4)
        try Self.write(librarian, "loans/1", Self.loan(of: loan.reader, due: loan.due, returned: true), "k2")
        #expect(try phone.event("notification.removed")["reason"] == "retracted")
        #expect(try phone.inbox() == [])
    }

    @Test
    func `a book that is returned in time does not ring any more, and a loan for a past day notifies nobody late`()
        throws
    {
        let (stage, librarian) = try Self.stage(at: "2027-03-20T10:00:00Z")
        let phone = try Self.reader("bernd", stage)
        try Self.write(librarian, "loans/1", Self.loan(of: "bernd", due: "2027-03-26"), "k1")
        try Self.write(librarian, "loans/1", Self.loan(of: "bernd", due: "2027-03-26", returned: true), "k2")
        // The loan is due tomorrow, and its notification is too late; the next one comes when it is overdue.
        try Self.write(librarian, "loans/2", Self.loan(of: "bernd", due: "2027-03-21"), "k3")
        try stage.settleSchedules()
        #expect(try phone.notifications().isEmpty)
        try stage.setClock("2027-03-22T08:00:00Z")
        #expect(try phone.event("notification")["title"] == "„Momo“ ist überfällig")
        // When the loan is extended, the notification is removed, and a new one is scheduled.
        try Self.write(librarian, "loans/2", Self.loan(of: "bernd", due: "2027-04-05"), "k4")
        #expect(try phone.event("notification.removed")["reason"] == "retracted")
        try stage.setClock("2027-04-03T06:59:59Z")
        try stage.settleSchedules()
        #expect(try phone.notifications().count == 1)
        try stage.setClock("2027-04-03T07:00:00Z")
        #expect(try phone.event("notification")["title"] == "„Momo“ ist am 5. April 2027 fällig")
    }

    @Test func `only librarians lend, and readers see their own loans`() throws {
        let (stage, librarian) = try Self.stage(at: "2027-03-20T10:00:00Z")
        let (ayse, bernd) = (try Self.reader("ayse", stage), try Self.reader("bernd", stage))
        try Self.write(librarian, "loans/1", Self.loan(of: "ayse", due: "2027-04-05"), "k1")
        #expect(try ayse.ok(["type": "get", "path": "loans/1"])["data"]?["title"] == "Momo")
        #expect(try bernd.refused(["type": "get", "path": "loans/1"])["code"] == "not-found")
        let own: JSONValue = [
            "type": "put", "path": "loans/2", "data": Self.loan(of: "ayse", due: "2027-05-05"), "key": "k",
        ]
        #expect(try ayse.refused(own)["code"] == "forbidden")
        try stage.delete("roles/librarian/users/olga")
        #expect(try librarian.refused(own)["code"] == "forbidden")
    }

    // MARK: Reservations, closures, fines

    @Test
    func `the next reader in the queue is notified when a copy comes back, and the one after when that one gives up`()
        throws
    {
        let (stage, librarian) = try Self.stage(at: "2027-10-30T10:00:00Z")
        let phones = try ["ayse", "bernd", "carol"].map { try Self.reader($0, stage) }
        func copy(_ queue: [JSONValue], lent: Bool, _ key: String) throws {
            // The night in which Berlin's clocks are put back.
            try Self.write(
                librarian, "copies/9",
                ["title": "Krabat", "queue": .array(queue), "lent": .bool(lent), "until": "2027-10-31T17:30:00Z"], key)
        }
        try copy(["ayse", "bernd", "carol"], lent: true, "k1")
        try copy(["ayse", "bernd", "carol"], lent: false, "k2")
        let first = try phones[0].event("notification")
        #expect(first["title"] == "Krabat sizi bekliyor")
        #expect(first["body"] == "31 Ekim 2027, 20:30")
        #expect(try phones[1].notifications().isEmpty && phones[2].notifications().isEmpty)
        try copy(["bernd", "carol"], lent: false, "k3")
        #expect(try phones[0].event("notification.removed")["reason"] == "retracted")
        let second = try phones[1].event("notification")
        #expect(second["title"] == "„Krabat“ liegt bereit")
        #expect(second["body"] == "Bis 31. Oktober 2027, 18:30 Uhr")
        try copy(["carol"], lent: true, "k4")
        #expect(try phones[1].inbox() == [])
        try copy(["carol"], lent: false, "k5")
        #expect(try phones[2].event("notification")["body"] == "Until October 31, 2027, 1:30\u{a0}PM")
        #expect(try phones.map { try $0.inbox().count } == [0, 0, 1])
    }

    @Test func `followers of a branch are notified of a closure on the evening before, by each follower's clock`()
        throws
    {
        let (stage, librarian) = try Self.stage(at: "2027-03-26T10:00:00Z")
        let phones = try ["ayse", "bernd", "carol"].map { try Self.reader($0, stage) }
        try stage.follow("branches/mitte", by: "ayse", "bernd", "carol")
        try Self.write(librarian, "branches/mitte/closures/2027-03-29", ["name": "Mitte"], "k1")
        try Self.write(librarian, "branches/nord/closures/2027-03-29", ["name": "Nord"], "k2")
        let told = [
            ("2027-03-28T15:00:00Z", "29 Mart 2027: Mitte kapalı"),
            ("2027-03-28T16:00:00Z", "Mitte am 29. März 2027 geschlossen"),
            ("2027-03-28T22:00:00Z", "Mitte is closed on March 29, 2027"),
        ]
        for (index, (time, title)) in told.enumerated() {
            try stage.setClock(Self.before(time))
            try stage.settleSchedules()
            #expect(try phones[index].notifications().isEmpty)
            try stage.setClock(time)
            #expect(try phones[index].event("notification")["title"]?.stringValue == title)
        }
        // Two days later the notification is no longer of interest.
        try stage.setClock("2027-03-31T10:00:00Z")
        try Self.write(librarian, "branches/mitte/closures/2027-03-30", ["name": "Mitte"], "k3")
        try stage.settleSchedules()
        #expect(try phones.map { try $0.notifications().count } == [1, 1, 1])
        #expect(try phones.map { try $0.inbox().count } == [1, 1, 1])
    }

    @Test(arguments: [
        ("ayse", 1234.5, 3, "Ceza: 1.234,50 €", "3 gün"), ("ayse", 0.25, 1, "Ceza: 0,25 €", "Bir gün"),
        ("bernd", 2.005, 1200, "Gebühr: 2,00 €", "1.200 Tage"), ("bernd", 3, 1, "Gebühr: 3,00 €", "Ein Tag"),
        ("carol", 1234.565, 2, "Fine: €1,234.56", "2 days"), ("carol", 0.999, 1, "Fine: €1.00", "One day"),
    ])
    func `a fine is money: two decimals, as the reader's language writes them`(
        reader: String, amount: Double, days: Int64, title: String, body: String
    ) throws {
        let (stage, librarian) = try Self.stage(at: "2027-03-26T10:00:00Z")
        let phone = try Self.reader(reader, stage)
        let fine: JSONValue = ["reader": .string(reader), "amount": .number(amount), "days": .integer(days)]
        try Self.write(librarian, "fines/1", fine, "k1")
        let event = try phone.event("notification")
        #expect(event["title"]?.stringValue == title)
        #expect(event["body"]?.stringValue == body)
    }
}
