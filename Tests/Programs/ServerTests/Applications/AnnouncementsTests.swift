import Configuration
import JSON
import Testing

/// `deploy/apps/announcements.json` from the document to the phones.
struct AnnouncementsTests {
    private static let exams = "announcements/exams-2027"

    private func stage() throws -> (stage: ApplicationStage, phone: Device, laptop: Device, ben: Device) {
        let stage = try ApplicationStage(.announcements)
        let phone = try stage.device("maria", "el")
        let laptop = try stage.device("maria", "el", on: "laptop")
        let ben = try stage.device("ben", "en")
        try stage.leave("kostas", "el")
        try stage.follow("feeds/announcements", by: "maria", "kostas", "ben")
        return (stage, phone, laptop, ben)
    }

    private static func announcement(_ summary: String, published: String = "2027-01-15T09:00:00Z") -> JSONValue {
        [
            "title": "Πρόγραμμα εξεταστικής", "summary": .string(summary), "published": .string(published),
            "link": "https://cs.example.edu/exams", "feed": "announcements",
        ]
    }

    @Test func `a new announcement reaches every follower once, in the follower's language`() throws {
        let (stage, phone, laptop, ben) = try stage()
        try stage.put(Self.exams, Self.announcement("Αναρτήθηκε."))
        for device in [phone, laptop] {
            let events = try device.notifications()
            #expect(events.texts("title") == ["Νέα ανακοίνωση: Πρόγραμμα εξεταστικής"])
            #expect(events.texts("body") == ["Αναρτήθηκε."])
            #expect(events.texts("level") == ["active"])
            #expect(events.first?["data"]?["link"] == "https://cs.example.edu/exams")
        }
        #expect(try ben.notifications().texts("title") == ["New announcement: Πρόγραμμα εξεταστικής"])
        #expect(try stage.inbox("kostas", "el").texts("title") == ["Νέα ανακοίνωση: Πρόγραμμα εξεταστικής"])
    }

    @Test func `files that come with it are in its data`() throws {
        let (stage, phone, _, _) = try stage()
        var announcement = Self.announcement("Αναρτήθηκε.")
        announcement["attachments"] = [["url": "https://cs.example.edu/a.pdf", "type": "application/pdf", "bytes": 12]]
        try stage.put(Self.exams, announcement)
        #expect(try phone.notifications().first?["data"]?["attachments"] == announcement["attachments"])
    }

    @Test func `an edited one updates the same notification without a sound`() throws {
        let (stage, phone, _, _) = try stage()
        try stage.put(Self.exams, Self.announcement("Αναρτήθηκε."))
        try stage.put(Self.exams, Self.announcement("Διόρθωση: αμφιθέατρο Β."))
        let events = try phone.notifications()
        #expect(events.map { $0["alert"] } == [nil, false])
        #expect(events.map { $0["reason"] } == [nil, "updated"])
        #expect(try stage.inbox("kostas", "el").texts("body") == ["Διόρθωση: αμφιθέατρο Β."])
    }

    @Test func `an announcement with only a new date, or an old one in a first fetch, notifies nobody`() throws {
        let (stage, phone, _, _) = try stage()
        try stage.put(Self.exams, Self.announcement("Αναρτήθηκε."))
        try stage.put(Self.exams, Self.announcement("Αναρτήθηκε.", published: "2027-01-15T09:30:00Z"))
        try stage.put("announcements/old", Self.announcement("Παλιά.", published: "2026-11-01T09:00:00Z"))
        #expect(try phone.notifications().count == 1)
        #expect(try stage.inbox("kostas", "el").count == 1)
    }

    @Test func `an announcement that is taken back goes from every device and inbox`() throws {
        let (stage, phone, laptop, _) = try stage()
        try stage.put(Self.exams, Self.announcement("Αναρτήθηκε."))
        try stage.delete(Self.exams)
        for device in [phone, laptop] { #expect(try device.removals() == ["retracted"]) }
        #expect(try stage.inbox("kostas", "el") == [])
    }
}
