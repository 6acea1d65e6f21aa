package import ClientProtocol
package import JSON
package import Model
import Store
import Triggers

/// `recommend`: a film or series to a person one follows or already talks with; it opens their chat.
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

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let sender = try context.user().name
        let (chat, members) = try context.openChat(with: command.to)
        try checkUnseen(in: chat, members, context)
        let posted = try PostMessage(
            chat: chat,
            members: members,
            text: command.note,
            product: command.product,
            replyTo: nil,
            key: command.key
        ).perform(in: context)
        _ = try context.fire(
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
        reply.member("chat", chat.name.text)
        reply.member("n", posted.n)
        reply.member("seq", posted.position.value)
        reply.member("at", context.now.text)
    }

    /// One `read` makes all recommendations before it seen, in one transaction, and each fires triggers of its own.
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
