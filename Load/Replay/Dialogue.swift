import JSON
import Model

/// One conversation of the data set: the texts of both users, and the suggested films.
struct Dialogue: Sendable {
    /// A text, or a film that the recommender suggests.
    enum Utterance: Sendable {
        case text(String)
        case recommendation(Product)
    }

    /// One turn of the conversation.
    struct Turn: Sendable {
        let byInitiator: Bool
        /// Seconds since the first turn.
        let offsetSeconds: Double
        let utterance: Utterance
    }

    /// The user who looks for a film.
    let initiator: UserID
    /// The user who recommends films.
    let respondent: UserID
    /// Of the two, or a room.
    var chat: ChatID
    let turns: [Turn]
    /// Texts that were left out, because a message must have 1 to 4,000 characters.
    let emptyTexts: Int
    let longTexts: Int

    /// Reads one line of the file.
    /// - Throws: `DialogueProblem` that says which part is missing.
    init(_ line: JSONValue) throws(DialogueProblem) {
        initiator = try Self.worker(line, "initiatorWorkerId")
        respondent = try Self.worker(line, "respondentWorkerId")
        guard let chat = ChatID(between: initiator, and: respondent) else {
            throw DialogueProblem(what: "both sides are \(initiator)")
        }
        self.chat = chat
        var script = Script(films: Self.suggestedFilms(line))
        guard let messages = line["messages"]?.arrayValue else { throw DialogueProblem(what: "messages is no array") }
        for message in messages {
            guard let text = message["text"]?.stringValue, let offset = message["timeOffset"]?.numberValue else {
                throw DialogueProblem(what: "a message without text or timeOffset")
            }
            let sender = try Self.worker(message, "senderWorkerId")
            guard sender == initiator || sender == respondent else {
                throw DialogueProblem(what: "\(sender) speaks and is of neither side")
            }
            script.add(text, byInitiator: sender == initiator, at: offset)
        }
        script.end()
        turns = script.turns
        emptyTexts = script.emptyTexts
        longTexts = script.longTexts
    }

    private static func worker(_ object: JSONValue, _ name: String) throws(DialogueProblem) -> UserID {
        guard let number = object[name]?.integerValue, let user = UserID("w\(number)") else {
            throw DialogueProblem(what: "\(name) is no number")
        }
        return user
    }

    /// The films that either side marked as suggested, by their ids, in the order of the file.
    private static func suggestedFilms(_ line: JSONValue) -> [(id: String, product: Product)] {
        let sides = ["initiatorQuestions", "respondentQuestions"].compactMap { line[$0]?.objectValue }
        return (line["movieMentions"]?.objectValue?.members ?? []).compactMap { id, name in
            guard sides.contains(where: { $0[id]?["suggested"]?.integerValue == 1 }) else { return nil }
            let film = FilmName(name.stringValue ?? "")
            guard let product = Product(id: "movie/\(id)", title: film.title, year: film.year) else { return nil }
            return (id, product)
        }
    }
}

/// Why a line is not a conversation.
struct DialogueProblem: Error, Hashable {
    let what: String
}

/// Puts the turns of a conversation together: a recommendation follows the recommender's first text that names the
/// film.
private struct Script {
    var turns: [Dialogue.Turn] = []
    var emptyTexts = 0
    var longTexts = 0
    private var films: [(id: String, product: Product)]
    private var lastOffset = 0.0

    init(films: [(id: String, product: Product)]) {
        self.films = films
    }

    mutating func add(_ text: String, byInitiator: Bool, at offset: Double) {
        lastOffset = max(lastOffset, offset)
        if text.isEmpty {
            emptyTexts += 1
        } else if text.unicodeScalars.count > Limits.messageCharactersMax {
            longTexts += 1
        } else {
            turns.append(Dialogue.Turn(byInitiator: byInitiator, offsetSeconds: lastOffset, utterance: .text(text)))
        }
        guard !byInitiator else { return }
        let mentioned = Self.mentions(in: text)
        recommend { mentioned.contains($0) }
    }

    /// Appends the films that no text of the recommender names.
    mutating func end() {
        recommend { _ in true }
    }

    /// The ids after `@` in a text.
    private static func mentions(in text: String) -> Set<String> {
        let pieces = text.split(separator: "@", omittingEmptySubsequences: false).dropFirst()
        return Set(pieces.map { piece in String(piece.prefix(while: \.isNumber)) })
    }

    private mutating func recommend(where isDue: (String) -> Bool) {
        for film in films where isDue(film.id) {
            let utterance = Dialogue.Utterance.recommendation(film.product)
            turns.append(Dialogue.Turn(byInitiator: false, offsetSeconds: lastOffset, utterance: utterance))
        }
        films.removeAll { isDue($0.id) }
    }
}

/// A film's name in the form of the data set: `Super Troopers (2001)`.
struct FilmName: Hashable {
    /// Nil when the name is empty.
    let title: String?
    let year: Int?

    init(_ name: String) {
        var rest = name[...]
        while rest.last == " " { rest = rest.dropLast() }
        var year: Int?
        if rest.last == ")", let open = rest.lastIndex(of: "("),
            let number = Int(rest[open...].dropFirst().dropLast()), (1800...2200).contains(number)
        {
            year = number
            rest = rest[..<open]
            while rest.last == " " { rest = rest.dropLast() }
        }
        self.year = year
        title = rest.isEmpty ? nil : String(rest)
    }
}
