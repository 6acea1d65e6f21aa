/// Broken promises, counted by kind, with a sentence for the first ones.
struct Findings: Sendable {
    /// A promise of the server.
    enum Kind: String, CaseIterable, Sendable {
        case lost = "lost"
        case doubled = "doubled"
        case outOfOrder = "out of order"
        case phantom = "phantoms"
        case altered = "altered"
        case wrongUnread = "wrong unread"
        case wrongHistory = "wrong history"
        case notificationLost = "notifications lost"
        case notificationDoubled = "notifications doubled"
        case refused = "refused"
        case unanswered = "unanswered"
        case contract = "contract broken"
    }

    private static let notesMax = 20

    private(set) var counts: [Kind: Int] = [:]
    private(set) var notes: [String] = []

    /// The number of all findings.
    var total: Int { counts.values.reduce(0, +) }

    subscript(kind: Kind) -> Int { counts[kind] ?? 0 }

    /// Counts one finding.
    mutating func add(_ kind: Kind, _ note: String) {
        counts[kind, default: 0] += 1
        if notes.count < Self.notesMax { notes.append("\(kind.rawValue): \(note)") }
    }
}
