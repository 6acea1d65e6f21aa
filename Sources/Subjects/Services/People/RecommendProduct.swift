package import ClientProtocol
package import Execution
import JSON
package import Model
import Store
import TriggerExecution
import Triggers

/// `recommend`: recommends a film or series to a person whom the user follows or already talks with. It opens their
/// chat.
///
/// - Confinement: any
package struct RecommendProduct: WriteUseCase {
    let command: RecommendCommand

    package init(_ command: RecommendCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("recommend")
        fingerprint.add(command.to.text)
        fingerprint.add(JSONValue.object(command.product.json).text)
        fingerprint.add(command.note)
    }

    package func perform(in context: WriteContext) throws -> PostMessage.Posted {
        let sender = try context.user().name
        try context.reachOthers(.recommend)
        var firing = TriggerFiring(in: context)
        let place = try Chats(in: context).open(with: command.to, &firing.notifier)
        let chat = place.chat
        try checkUnseen(in: chat, place.members, context)
        let message = PostMessage(
            place: place,
            text: command.note,
            product: command.product,
            replyTo: nil,
            key: command.key
        )
        let posted = try message.perform(in: context, &firing)
        _ = try firing.fire(
            .create,
            in: StandingDocuments.recommendationCollections,
            path: StandingDocuments.recommendationPath(chat: chat.name, n: posted.n),
            at: posted.position
        ) {
            (
                nil,
                StandingDocuments.recommendation(
                    from: sender,
                    to: command.to,
                    product: command.product.json,
                    note: command.note,
                    seen: false
                )
            )
        }
        try message.queuePush(posted, in: context)
        return posted
    }

    /// Bounds the unseen recommendations: one `read` makes all of them seen in one transaction, and each fires triggers
    /// of its own.
    private func checkUnseen(in chat: ChatEntry, _ members: [MemberEntry], _ context: WriteContext) throws {
        let (id, max) = (try context.user().id, Limits.unseenRecommendationsMax)
        guard members.contains(where: { $0.user != id && $0.unread >= max }) else { return }
        let unseen = try context.transaction.messages.countUnseenRecommendations(of: chat.id, by: id, limit: max)
        guard unseen < max else {
            throw Refusal(
                .tooMany,
                "\(command.to.text) has \(max) recommendations of yours to read first",
                field: "to",
                retryAfterMilliseconds: 60_000
            )
        }
    }
}

extension RecommendCommand: AnsweredCommand {
    package var work: CommandWork { .write(RecommendProduct(self)) }
}
