import ClientProtocol
import EventLoop
import JSON
import Model
import Session

/// Plays one conversation: each turn is sent when the one before it was acknowledged. In a room, where others listen and
/// talk meanwhile, a recommendation is a text.
///
/// - Confinement: loop
final class DialoguePlayer {
    /// At the end the seeker has marked one of this many notifications as seen, so that some counts are above zero.
    private static let seenEvery = 2
    private static let seenMax = 50

    private unowned let run: ReplayRun
    private let dialogue: Dialogue
    private let number: Int
    private let chat: Int
    /// The numbers of the seeker's side and of the recommender's side.
    private let seeker: Int
    private let recommender: Int
    private let seekerBot: ReplayBot
    private let recommenderBot: ReplayBot
    /// The newest message of the chat that this conversation knows of.
    private var last: MessageNumber = 0
    private var isOpen: Bool
    private var timer: LoopTimer?

    /// Nil when the ledger does not have the conversation.
    init?(_ dialogue: Dialogue, _ number: Int, in run: ReplayRun) {
        guard let chat = run.ledger.chatIndex[dialogue.chat], let one = run.ledger.userIndex[dialogue.initiator],
            let other = run.ledger.userIndex[dialogue.respondent],
            let seeker = run.ledger.chats[chat].users.firstIndex(of: one),
            let recommender = run.ledger.chats[chat].users.firstIndex(of: other)
        else { return nil }
        self.run = run
        self.dialogue = dialogue
        self.chat = chat
        self.number = number
        isOpen = dialogue.chat.isRoom
        self.seeker = seeker
        self.recommender = recommender
        seekerBot = run.bots[one]
        recommenderBot = run.bots[other]
    }

    /// The two users follow each other, then talk.
    func start() {
        follow(dialogue.respondent, by: seekerBot) { [self] in
            follow(dialogue.initiator, by: recommenderBot) { [self] in play(0) }
        }
    }

    private func follow(_ user: UserID, by bot: ReplayBot, then next: @escaping () -> Void) {
        bot.submit(.follow(Topic(user: user))) { [self] reply in
            settle(reply, "follow") { _ in next() }
        }
    }

    private func play(_ index: Int) {
        guard index < dialogue.turns.count else { return lookAtNotifications() }
        let before = index == 0 ? 0 : dialogue.turns[index - 1].offsetSeconds
        let pause = run.plan.speed.milliseconds(for: dialogue.turns[index].offsetSeconds - before)
        guard pause > 0 else { return say(index) }
        let timer = LoopTimer(on: run.loop) { [self] in
            self.timer?.close()
            self.timer = nil
            say(index)
        }
        self.timer = timer
        timer.start(afterMilliseconds: pause)
    }

    /// Sends a turn. Before it speaks, a side has read the other's messages; only the seeker reads at recommendations
    /// instead.
    private func say(_ index: Int) {
        let turn = dialogue.turns[index]
        guard !turn.byInitiator, last > run.ledger.chats[chat].read[recommender] else { return send(turn, index) }
        read(by: recommenderBot, side: recommender) { [self] in send(turn, index) }
    }

    private func send(_ turn: Dialogue.Turn, _ index: Int) {
        let side = turn.byInitiator ? seeker : recommender
        let recipient = turn.byInitiator ? dialogue.respondent : dialogue.initiator
        let content: Ledger.Content
        switch turn.utterance {
        case .text(let text): content = .text(text)
        case .recommendation(let product) where dialogue.chat.isRoom:
            content = .text("See \(product.title ?? product.id)!")
        case .recommendation(let product): content = .recommendation(product)
        }
        let (number, key) = run.ledger.write(content, chat: chat, side: side, at: .now)
        guard let key else { return run.fail("the run has more writes than keys") }
        let command: ClientCommand
        switch content {
        case .text(let text) where isOpen: command = .send(text, in: dialogue.chat, key: key)
        case .text(let text): command = .send(text, to: recipient, key: key)
        case .recommendation(let product): command = .recommend(product, to: recipient, key: key)
        }
        (turn.byInitiator ? seekerBot : recommenderBot).submit(command, turn: index) { [self] reply in
            sent(number, reply, isRecommendation: content.isRecommendation) { [self] in
                change(number, by: side) { [self] in play(index + 1) }
            }
        }
    }

    private func sent(_ number: Int, _ reply: ClientReply, isRecommendation: Bool, then next: @escaping () -> Void) {
        switch reply {
        case .ok(let body):
            guard let n = body["n"]?.integerValue, let seq = body["seq"]?.integerValue else {
                run.ledger.findings.add(.contract, "an ok without n or seq: \(body.text)")
                return next()
            }
            run.ledger.acknowledge(number, Ledger.Place(n: n, seq: seq), at: .now)
            isOpen = true
            last = max(last, n)
            guard isRecommendation else { return next() }
            read(by: seekerBot, side: seeker, then: next)
        case .refused(let refusal):
            run.ledger.refuse(number, because: "\(refusal.code.rawValue), \(refusal.message)")
            next()
        case .lost: break
        }
    }

    /// Of a dozen texts, the author edits three and deletes two of them, and the other side reacts to one.
    private func change(_ number: Int, by side: Int, then next: @escaping () -> Void) {
        guard let place = run.ledger.writes[number].acknowledged, !run.ledger.writes[number].isRecommendation else {
            return next()
        }
        let author = side == seeker ? seekerBot : recommenderBot
        let other = side == seeker ? recommenderBot : seekerBot
        switch number % 12 {
        case 2: change(number, place.n, .edit("edited \(number)"), by: author, then: next)
        case 5: change(number, place.n, .delete, by: author, then: next)
        case 8: change(number, place.n, .react("👍"), by: other, then: next)
        case 11:
            change(number, place.n, .edit("edited, then deleted \(number)"), by: author) { [self] in
                change(number, place.n, .delete, by: author, then: next)
            }
        default: next()
        }
    }

    private func change(
        _ number: Int, _ n: MessageNumber, _ alteration: Ledger.Alteration, by bot: ReplayBot,
        then next: @escaping () -> Void
    ) {
        let (index, key) = run.ledger.change(number, alteration)
        guard let key else { return run.fail("the run has more changes than keys") }
        bot.submit(.change(alteration, n, in: dialogue.chat, key: key), turn: number) { [self] reply in
            settle(reply, "change") { [self] _ in
                run.ledger.acknowledge(change: index, at: .now)
                next()
            }
        }
    }

    private func read(by bot: ReplayBot, side: Int, then next: @escaping () -> Void) {
        let n = last
        bot.submit(.read(dialogue.chat, upTo: n)) { [self] reply in
            settle(reply, "read") { [self] _ in
                run.ledger.acknowledgeRead(chat: chat, side: side, upTo: n)
                next()
            }
        }
    }

    private func lookAtNotifications() {
        let user = seekerBot.user
        let unseen = run.ledger.accounts[user].notifications.filter { !$0.value.isSeen && !$0.value.isRemoved }
        let ids = unseen.keys.sorted().enumerated()
            .filter { $0.offset % Self.seenEvery == 0 }.prefix(Self.seenMax).map(\.element)
        guard !ids.isEmpty else { return run.dialogueEnded(number, in: dialogue.chat) }
        let command = ClientCommand(SeenCommand.self, ["ids": .array(ids.map { .string($0) })])
        seekerBot.submit(command) { [self] reply in
            settle(reply, "seen") { [self] _ in
                run.ledger.acknowledgeSeen(user: user, ids: ids)
                run.dialogueEnded(number, in: dialogue.chat)
            }
        }
    }

    /// Continues after the reply to a command that must not be refused.
    private func settle(_ reply: ClientReply, _ name: String, then next: (JSONValue) -> Void) {
        switch reply {
        case .ok(let body): next(body)
        case .refused(let refusal):
            run.ledger.findings.add(.refused, "\(name) in \(dialogue.chat): \(refusal.message)")
            next(.null)
        case .lost: break
        }
    }
}

extension ClientCommand {
    fileprivate static func change(
        _ alteration: Ledger.Alteration, _ n: MessageNumber, in chat: ChatID, key: WriteKey
    ) -> ClientCommand {
        var fields: JSONObject = ["chat": .string(chat.text), "n": .integer(n), "key": .string(key.text)]
        switch alteration {
        case .edit(let text):
            fields["text"] = .string(text)
            return ClientCommand(EditCommand.self, fields)
        case .delete: return ClientCommand(DeleteCommand.self, fields)
        case .react(let emoji):
            fields["emoji"] = .string(emoji)
            fields["on"] = true
            return ClientCommand(ReactCommand.self, fields)
        }
    }
}

extension Ledger.Content {
    var isRecommendation: Bool {
        if case .recommendation = self { true } else { false }
    }
}

@available(*, unavailable)
extension DialoguePlayer: Sendable {}
