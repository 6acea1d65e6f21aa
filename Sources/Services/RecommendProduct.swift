package import ClientProtocol
package import JSON
package import Model
import Store
import Triggers

/// `recommend`: a film or series to a person one follows or already talks with; it opens their chat.
///
/// - Confinement: any
package struct RecommendProduct: WriteUseCase {
    let command: Command.Recommend

    package init(_ command: Command.Recommend) { self.command = command }

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
}
