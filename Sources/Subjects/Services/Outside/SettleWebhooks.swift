package import Execution
import Model
import Store
package import Webhooks

/// Notes the results of attempts to deliver webhooks, and gives up what nobody will send. The server itself asks for
/// it.
///
/// - Confinement: any
package struct SettleWebhooks: WriteUseCase {
    let attempts: [WebhookAttempt]
    let pendingMax: Int64

    package init(_ attempts: [WebhookAttempt], pendingMax: Int64 = WebhookLimits.pendingMax) {
        self.attempts = attempts
        self.pendingMax = pendingMax
    }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        for attempt in attempts { try context.transaction.webhooks.note(attempt) }
        guard attempts.isEmpty || attempts.contains(where: { $0.outcome == .gone }) else { return .none }
        _ = try context.transaction.webhooks.burySurplus(
            pendingMax: pendingMax,
            limit: WebhookLimits.buriedMax,
            at: context.now
        )
        return .none
    }
}
