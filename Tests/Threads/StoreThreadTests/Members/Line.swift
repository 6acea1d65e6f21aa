import ClientProtocol
import Execution
import JSON
import Model
import Store
import ThreadMessages

/// A write of a test: a numbered line of a user, which goes into the log as an event.
struct Line: WriteUseCase, Hashable {
    enum Kind: String, CaseIterable {
        case written
        /// Written, with the version of a document in its answer.
        case versioned
        /// Refused, with the present document.
        case refused
        /// Answered, and nothing is written.
        case empty
    }

    static let found = Array(#"{"a" : 1.50, "b":[null]}"#.utf8)

    let user: String
    let number: Int
    let kind: Kind
    /// With which its client may send it again.
    var key: WriteKey?

    init(_ user: String, _ number: Int, _ kind: Kind = .written) {
        self.user = user
        self.number = number
        self.kind = kind
    }

    /// Reads the text that a node has handed on.
    init?(_ work: HandedWork) {
        guard case .command(let text) = work else { return nil }
        let words = String(decoding: text.text, as: UTF8.self).split(separator: " ")
        guard words.count >= 3, let number = Int(words[1]), let kind = Kind(rawValue: String(words[2])) else {
            return nil
        }
        self.init(String(words[0]), number, kind)
        if words.count > 3 { key = WriteKey(String(words[3])) }
    }

    /// The line as its client wrote it.
    var source: HandedWork {
        let text = "\(user) \(number) \(kind.rawValue)" + (key.map { " \($0.text)" } ?? "")
        return .command(HandedText(Array(text.utf8), device: nil, deviceLanguage: nil))
    }

    /// The event in the log.
    var event: String { #"{"line":"\#(user) \#(number)"}"# }

    func perform(in context: WriteContext) throws -> AnswerWithFact {
        switch kind {
        case .refused:
            var refusal = Refusal(.conflict, "another one was first", field: "line", retryAfterMilliseconds: 7)
            refusal.found = Refusal.Found(version: 3, data: Self.found)
            throw refusal
        case .empty: return AnswerWithFact(["n": .integer(Int64(number))], .none)
        case .written, .versioned:
            guard let id = UserID(user) else { throw Refusal(.badRequest, "no user") }
            let transaction = context.transaction
            let stream = try transaction.users.findOrMake(id, at: transaction.head)
            _ = try transaction.append(EncodedEvent(.message, json: Array(event.utf8)), to: stream)
            return AnswerWithFact(
                ["n": .integer(Int64(number))], kind == .versioned ? .version(Int64(number)) : .none)
        }
    }
}
