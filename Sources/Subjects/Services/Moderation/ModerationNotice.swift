import ClientProtocol
import JSON
import Model
import Notifying
import Store
import Triggers

/// A notification from the moderators: of the kind that nobody mutes.
///
/// - Confinement: any
struct ModerationNotice {
    private let title: String
    private let body: String
    private let data: JSONObject
    private let collapse: String?

    /// The report has arrived.
    static func received(_ report: ReportEntry) -> Self {
        Self(
            title: "Your report was received", body: "Thank you. We look into it, and tell you when it is decided.",
            data: ["report": .string(report.name), "state": "received"], collapse: "report:" + report.name)
    }

    /// For a reporter: the report is decided. It takes the place of the notice that the report was received.
    static func decided(_ report: ReportEntry, _ action: DecideReport.Action, statement: String) -> Self {
        Self(
            title: "Your report was decided",
            body: action == .dismiss ? statement : "Thank you. We found that the rules were broken, and acted on it.",
            data: [
                "report": .string(report.name), "state": "decided", "acted": .bool(action != .dismiss),
            ],
            collapse: "report:" + report.name)
    }

    /// For the other side: what was done, why, for how long, and how to object. It does not name the reporter.
    ///
    /// - Returns: nil when nothing was done.
    static func statement(_ action: DecideReport.Action, until: Timestamp?, _ statement: String) -> Self? {
        let title: String
        let end = until.map { " until \($0.text)" } ?? ""
        switch action {
        case .dismiss: return nil
        case .warn: title = "You have broken the rules"
        case .delete: title = "One of your messages was deleted"
        case .mute: title = "You may not write to others" + end
        case .ban: title = "You may not come in" + end
        }
        var data: JSONObject = ["action": .string(action.rawValue)]
        data["until"] = until.map { .string($0.text) }
        return Self(title: title, body: statement, data: data, collapse: nil)
    }

    func send(to user: UserID, _ notifier: inout Notifier) throws {
        let text = NotificationText(title: title, body: body)
        let draft = NotificationDraft(
            byModerators: StoredTexts(Localized(fallback: text, byLanguage: [:])), data: data, collapse: collapse)
        _ = try notifier.notify(.user(user), draft)
    }
}
