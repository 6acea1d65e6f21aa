import Client
import ClientProtocol
import Console
import JSON
import Model
import Session

/// A member of the cast, on a device of its own: it reads what it gets, answers, and reports to the narrator.
///
/// - Confinement: loop
final class DemoBot {
    let person: DemoPerson
    private let session: ClientSession
    private unowned let troupe: DemoTroupe
    /// Recommendations that were not seen yet, by chat.
    private var unseen: [String: [(n: Int64, from: String, title: String)]] = [:]

    init(_ person: DemoPerson, of troupe: DemoTroupe) {
        self.person = person
        self.troupe = troupe
        session = troupe.machinery.session(of: person)
        session.delegate = self
        session.start()
    }

    func stop() { session.stop() }

    /// Sends a command; a refusal is printed.
    func `do`(_ command: ClientCommand, onDone: ((JSONValue) -> Void)? = nil) {
        session.submit(command) { [unowned self] reply in
            switch reply {
            case .ok(let body): onDone?(body)
            case .refused(let refusal):
                troupe.machinery.narrator.complain("\(person.id): \(command.name): \(refusal.message)")
            case .lost: break
            }
        }
    }

    /// Notes a recommendation, to report when it is seen.
    func remember(_ title: String, n: Int64, in chat: String, from: String) {
        guard unseen[chat]?.contains(where: { $0.n == n }) != true else { return }
        unseen[chat, default: []].append((n, from, title))
    }
}

extension DemoBot: ClientSessionDelegate {
    func report(_ report: ClientSessionReport, from session: ClientSession) {
        switch report {
        case .event(let event): take(event)
        case .violation(let violation): troupe.machinery.narrator.complain("\(person.id): \(violation)")
        case .ended(.refused(let refusal)): troupe.machinery.narrator.complain("\(person.id): \(refusal.message)")
        case .online, .live, .reset, .reply, .offline, .ended: break
        }
    }

    private func take(_ event: ClientEvent) {
        let body = event.body
        switch event.name {
        case .message: takeMessage(body)
        case .read: takeRead(body)
        case .notification:
            troupe.machinery.narrator.show(
                body["title"]?.stringValue ?? "", body["body"]?.stringValue ?? "", on: person)
        default: break
        }
    }

    private func takeMessage(_ body: JSONValue) {
        guard let chat = body["chat"]?.stringValue.flatMap(ChatID.init), let n = body["n"]?.integerValue,
            let from = body["from"]?.stringValue, let author = troupe.cast.person(from)
        else { return }
        let product = body["product"]
        let title = product?["title"]?.stringValue ?? product?["id"]?.stringValue
        if let title { remember(title, n: n, in: chat.text, from: from) }
        guard author.id != person.id else { return }
        if !author.isBot { tellOfPlayer(author, title: title, text: body["text"]?.stringValue) }
        troupe.machinery.after(900) { [unowned self] in self.do(.read(chat, upTo: n)) }
        // Bots answer only the recommendations of other bots, or they would never stop.
        guard product != nil || !author.isBot else { return }
        answer(author, in: chat, n: n, isRecommendation: product != nil)
    }

    private func tellOfPlayer(_ author: DemoPerson, title: String?, text: String?) {
        let words = text.map { "“\($0.cut(to: 100))”" } ?? ""
        if let title {
            troupe.machinery.narrator.tell(
                author.name, "recommends \(title) to \(person.name) \(words)", .recommendation)
        } else {
            troupe.machinery.narrator.tell(author.name, "writes to \(person.name): \(words)", .message)
        }
    }

    private func answer(_ author: DemoPerson, in chat: ChatID, n: Int64, isRecommendation: Bool) {
        let text = troupe.story.answer(of: person, to: author, n: n, isRecommendation: isRecommendation)
        guard let key = WriteKey("demo-answer-\(chat.text.hashedForKey)-\(n)") else { return }
        troupe.machinery.after(1500) { [unowned self] in typing(chat, true) }
        troupe.machinery.after(2800) { [unowned self] in
            typing(chat, false)
            troupe.machinery.narrator.tell(person.name, "answers \(author.name): “\(text)”", .message)
            self.do(.send(text, in: chat, key: key))
        }
    }

    private func typing(_ chat: ChatID, _ isOn: Bool) {
        session.submit(ClientCommand(TypingCommand.self, ["chat": .string(chat.text), "on": .bool(isOn)])) { _ in }
    }

    /// The reader's own device reports it; if the reader is a person on the page, the author's device does.
    private func takeRead(_ body: JSONValue) {
        guard let chat = body["chat"]?.stringValue, let reader = body["user"]?.stringValue.flatMap(troupe.cast.person),
            let n = body["n"]?.integerValue
        else { return }
        let seen = unseen[chat, default: []].filter { $0.n <= n && $0.from != reader.id.text }
        unseen[chat]?.removeAll { one in seen.contains { $0.n == one.n } }
        guard reader.id == person.id || !reader.isBot else { return }
        for one in seen {
            let from = troupe.cast.person(one.from)?.name ?? one.from
            troupe.machinery.narrator.tell(reader.name, "has seen \(one.title), recommended by \(from)", .seen)
        }
    }
}

@available(*, unavailable)
extension DemoBot: Sendable {}

extension String {
    /// A short text for keys that is always the same for the same string.
    fileprivate var hashedForKey: String {
        var chance = DemoChance(seed: 1, about: self)
        return String(chance.next(), radix: 36)
    }
}
