package import ClientProtocol
package import Execution
package import JSON
import Model
import Searching
import Store

/// `search`: the messages of the user's chats that have all words of a question, newest first.
///
/// The index narrows, and each message that it names is looked at as it is now: so nothing that was deleted is found, nor
/// anything of a chat that is not the user's, whatever the index says.
///
/// - Confinement: any
package struct SearchMessages: ReadUseCase {
    let command: SearchCommand
    let question: SearchQuestion

    /// - Throws: `Refusal` when the question has no word, or too many.
    package init(_ command: SearchCommand) throws(Refusal) {
        self.command = command
        do throws(SearchQuestion.Problem) {
            question = try SearchQuestion(command.question)
        } catch {
            switch error {
            case .noWord: throw .badRequest(field: "q", "must have a letter, a digit or a sign to look for")
            case .tooManyWords:
                throw .badRequest(field: "q", "must have at most \(SearchQuestion.wordsMax) words")
            }
        }
    }

    package func perform(in context: ReadContext) throws -> Answer {
        let user = try context.user()
        guard let index = context.search else {
            throw Refusal(.forbidden, "this server has no search; its operator turns it on with the setting search")
        }
        let before = try Cursor.number(command.before, field: "before").map(Position.init) ?? Position(Position.bound)
        let transaction = context.transaction
        let rights = ConversationRights(transaction: transaction)
        let chats: [Int64: MessageNumber]
        if let chat = command.chat {
            let place = try rights.memberChat(chat, of: user.id, user.name)
            chats = [place.chat.id: place.first]
        } else {
            chats = try rights.memberChats(of: user)
        }
        do {
            return try find(in: chats, by: index, user, transaction, before: before)
        } catch is SearchReader.Problem {
            throw Refusal(
                .unavailable, "the index of messages cannot be read; it is made again if it is damaged",
                retryAfterMilliseconds: 1000)
        }
    }

    private func find(
        in chats: [Int64: MessageNumber], by index: SearchReader, _ user: UserEntry, _ transaction: Transaction,
        before: Position
    ) throws -> Answer {
        var search = Search(question, in: chats, for: user.id, transaction)
        if let author = command.author {
            guard let author = try transaction.users.number(of: author) else { return Answer() }
            search.author = author
        }
        guard !chats.isEmpty else { return Answer() }
        let match = question.match(in: chats.count <= SearchLimits.chatsMax ? chats.keys.sorted() : [])
        var last = before
        let standing = try index.candidates(for: match, before: before) { candidate in
            // One more than the page holds says that there is another page.
            guard search.found.count <= command.limit, search.looks < SearchLimits.looksMax else { return false }
            try search.look(at: candidate)
            last = candidate.position
            return true
        }
        let isMore = search.found.count > command.limit || search.looks >= SearchLimits.looksMax
        let page = search.found.prefix(command.limit)
        let end = search.found.count > command.limit ? page.last?.position ?? before : last
        return Answer(
            messages: Array(page), next: isMore ? String(end.value) : nil,
            upTo: standing?.followed, isBuilding: standing?.walk != nil || standing == nil)
    }

    /// The answer: `messages`, `next`, `upTo` and `building`.
    package struct Answer: UseCaseAnswer {
        var messages: [ListedMessage] = []
        var next: String?
        var upTo: Position?
        /// Whether older messages are still missing in the index.
        var isBuilding = false

        package func write(to reply: inout JSONWriter) {
            reply.array("messages") { reply in
                for entry in messages { entry.write(to: &reply) }
            }
            if let next { reply.member("next", next) }
            reply.member("upTo", upTo?.value ?? 0)
            if isBuilding { reply.member("building", true) }
        }
    }
}

/// A search on its way through the candidates.
///
/// - Confinement: store (a reader's thread)
private struct Search {
    let question: SearchQuestion
    /// The first message of each chat that exists for the reader.
    let chats: [Int64: MessageNumber]
    let reader: StreamID
    let transaction: Transaction
    /// Only messages of this user; nil takes everybody's.
    var author: StreamID?
    var found: [ListedMessage] = []
    /// How many messages were looked at.
    var looks = 0
    private var readings: [Int64: MessageReading] = [:]

    init(_ question: SearchQuestion, in chats: [Int64: MessageNumber], for reader: StreamID, _ transaction: Transaction)
    {
        self.question = question
        self.chats = chats
        self.reader = reader
        self.transaction = transaction
    }

    mutating func look(at candidate: SearchCandidate) throws {
        looks += 1
        guard let first = chats[candidate.chat], candidate.n >= first,
            let message = try transaction.messages.find(candidate.n, in: candidate.chat),
            message.deletedAt == nil, author == nil || author == message.author
        else { return }
        let title = try message.product.flatMap { try StoredJSON.product($0).title }
        guard let marks = question.marks(in: FoldedText(message.text ?? ""), or: title.map { FoldedText($0) }),
            var reading = try reading(of: candidate.chat)
        else { return }
        for var listed in try reading.listed([message]) {
            listed.marks = marks
            found.append(listed)
        }
        readings[candidate.chat] = reading
    }

    private func reading(of chat: Int64) throws -> MessageReading? {
        if let known = readings[chat] { return known }
        return try transaction.chats.find(number: chat).map { MessageReading(of: $0, for: reader, in: transaction) }
    }
}

extension SearchQuestion {
    /// The question to the index: it has no places of words, so it is asked for all words of all terms.
    ///
    /// A short beginning would have the index read the words of half of all messages; the texts decide about it, and many
    /// have it.
    fileprivate func match(in chats: [Int64]) -> SearchMatch {
        var words: [String] = []
        var beginnings: [String] = []
        for term in terms {
            guard term.isBeginning, let last = term.words.last else {
                words += term.words
                continue
            }
            words += term.words.dropLast()
            if last.unicodeScalars.count >= SearchLimits.beginningMin { beginnings.append(last) }
        }
        // Without chats something must be asked for.
        if chats.isEmpty, words.isEmpty, beginnings.isEmpty { beginnings = terms.compactMap(\.words.last) }
        return SearchMatch(chats: chats, words: Set(words).sorted(), beginnings: beginnings)
    }
}

extension SearchCommand: AnsweredCommand {
    package var work: CommandWork { get throws(Refusal) { .read(try SearchMessages(self)) } }
}
