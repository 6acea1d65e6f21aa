package import Execution
import Model
import Store
import TriggerExecution

/// Deletes the oldest reports with their documents, when they have been kept long enough. The leading node asks for it.
///
/// - Confinement: any
package struct SweepReports: WriteUseCase {
    /// The most reports that go in one transaction.
    private static let batch = 50

    let keptMilliseconds: Int64

    package init(keptMilliseconds: Int64) { self.keptMilliseconds = keptMilliseconds }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let transaction = context.transaction
        let time = context.now.adding(milliseconds: -keptMilliseconds)
        let old = try transaction.reports.made(upTo: time, limit: Self.batch)
        var firing = TriggerFiring(in: context)
        for report in old {
            try transaction.reports.delete(report.id)
            let path = try report.path
            guard try transaction.documents.find(path)?.body != nil else { continue }
            let write = DocumentWrite(path: path, operation: .delete)
            _ = try WriteDocuments(write, key: nil).record(in: context, &firing)
        }
        return .deleted(rows: old.count, isMore: old.count == Self.batch)
    }
}
