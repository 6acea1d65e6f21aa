package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store
import TriggerExecution

/// `GET` of one document, also of documents with tables of their own.
///
/// - Confinement: any
package struct ReadDocument: ReadUseCase {
    let path: DocumentPath

    package init(_ path: DocumentPath) { self.path = path }

    package func perform(in context: ReadContext) throws -> Answer {
        try checkRight(in: context)
        if let document = try CurrentDocument(at: path, context.collections, in: context.transaction) {
            return Answer(path: path, document: document)
        }
        if case .user = context.actor { throw DocumentRights.notThere(path.text) }
        throw Refusal.noDocument(path)
    }

    /// The answer: `path`, `version`, `seq` and `data`.
    package struct Answer: UseCaseAnswer {
        let path: DocumentPath
        let document: CurrentDocument

        package func write(to reply: inout JSONWriter) {
            reply.member("path", path.text)
            reply.member("version", document.version)
            reply.member("seq", document.position.value)
            reply.member("data", document.data)
        }

        package var fact: AnswerFact { .version(document.version) }
    }

    /// A user needs the right. Everybody may read follows, as with the command `followers`; members of a chat may read
    /// its messages and recommendations; the access rules decide about all others.
    private func checkRight(in context: ReadContext) throws {
        guard case .user(let id, let name, let roles) = context.actor else { return }
        if context.collections.follow(at: path) != nil { return }
        guard let (chat, n, _) = StandingDocuments.message(at: path) else {
            try context.documentRights.checkRead(of: path, by: name, id, roles: roles)
            return
        }
        do {
            let place = try ConversationRights(transaction: context.transaction).memberChat(chat, of: id, name)
            guard n >= place.first else { throw DocumentRights.notThere(path.text) }
        } catch is Refusal {
            throw DocumentRights.notThere(path.text)
        }
    }
}

extension GetCommand: AnsweredCommand {
    package var work: CommandWork { .read(ReadDocument(path)) }
}
