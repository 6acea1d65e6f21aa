package import Execution
package import JSON
import Model
import Store

/// The results of all triggers on one change.
///
/// - Confinement: any
package struct TriggerReports: Sendable {
    /// In the order of their names.
    package var reports: [TriggerReport] = []
    /// The number of further triggers whose condition is not true.
    var unmet = 0

    package init() {}

    /// Adds the times that were scheduled for a deleted document, for triggers that have no report yet.
    mutating func add(dropped: [String: Timestamp]) {
        guard !dropped.isEmpty else { return }
        let told = Set(reports.map(\.trigger))
        for (name, due) in dropped where !told.contains(name) {
            reports.append(
                TriggerReport(trigger: name, effect: .skipped("the document is deleted"), earlier: due))
        }
        reports.sort { $0.trigger < $1.trigger }
    }

    /// The sentences for the writer of the document, each once.
    package var warnings: [String] {
        var warnings: [String] = []
        for warning in reports.flatMap(\.warnings) where !warnings.contains(warning) { warnings.append(warning) }
        return warnings
    }

    /// Writes both as members of an answer.
    package func write(to reply: inout JSONWriter) {
        reply.array("triggers") { reply in
            for report in reports { reply.value(report.json) }
        }
        if unmet > 0 { reply.member("unmet", unmet) }
    }
}
