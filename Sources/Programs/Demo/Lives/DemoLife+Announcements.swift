import JSON
import Model

extension DemoLife {
    /// A department's announcements to its students, for `deploy/triggers/announcements.json`.
    package static let announcements = DemoLife(
        about: "a department's announcements and its students",
        title: "CSTeilar",
        people: [DemoPerson("maria", "el"), DemoPerson("kostas", "el"), DemoPerson("ben", "en")].compactMap { $0 },
        panes: [("maria", "phone"), ("ben", "phone")],
        begins: [
            .put(
                "announcements/library",
                [
                    "title": "Νέο ωράριο βιβλιοθήκης",
                    "summary": "Η βιβλιοθήκη είναι ανοιχτή 08:30–20:00, Δευτέρα έως Παρασκευή.",
                    "published": "2026-11-02T08:00:00Z", "link": "https://cs.example.edu/library",
                    "feed": "announcements",
                ]),
            .put(
                "announcements/thesis",
                [
                    "title": "Topics for diploma theses",
                    "summary": "Sixteen topics; choose until the end of the month.",
                    "published": "2026-11-09T10:30:00Z", "link": "https://cs.example.edu/thesis",
                    "feed": "announcements",
                ]),
        ],
        follows: [("maria", "feeds/announcements"), ("kostas", "feeds/announcements"), ("ben", "feeds/announcements")],
        scenes: [
            Scene("department", "announces the exams of January") {
                [
                    put(
                        "exams", "Πρόγραμμα εξεταστικής Ιανουαρίου",
                        "Το πρόγραμμα της εξεταστικής αναρτήθηκε στην ιστοσελίδα του τμήματος.", at: $0)
                ]
            },
            Scene(
                "department", "corrects a room in it; nobody's phone rings again",
                .patch(
                    "announcements/exams",
                    ["summary": "Το πρόγραμμα αναρτήθηκε. Διόρθωση: οι Βάσεις Δεδομένων στο αμφιθέατρο Β."])),
            Scene("department", "moves a lecture") {
                [put("lecture", "Αναβολή διάλεξης", "Τα Λειτουργικά Συστήματα της Τρίτης μεταφέρονται.", at: $0)]
            },
            Scene("department", "announces places for practice in Erasmus+") {
                [put("erasmus", "Erasmus+ placements 2027", "Applications until 15 December.", at: $0)]
            },
            Scene(
                "department", "the lecture takes place after all: the announcement is withdrawn",
                .delete("announcements/lecture")),
            Scene(
                "department", "a new term: the board is wiped", .delete("announcements/exams"),
                .delete("announcements/erasmus")),
        ])

    private static func put(_ guid: String, _ title: String, _ summary: String, at time: Timestamp) -> Write {
        .put(
            "announcements/\(guid)",
            [
                "title": .string(title), "summary": .string(summary), "published": .string(time.text),
                "link": .string("https://cs.example.edu/\(guid)"), "feed": "announcements",
            ])
    }
}
