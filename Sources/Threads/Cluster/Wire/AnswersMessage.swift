import ClientProtocol
import Execution
package import Journal
import ThreadMessages

/// Answers to writes that wrote nothing, from the node that leads, on the subject `refused.NODE`.
///
/// - Confinement: any
package struct AnswersMessage: Sendable {
    /// Of the process that asked.
    let run: UInt64
    /// The leadership that answers.
    let term: UInt64
    let answers: [UnwrittenAnswer]

    init(run: UInt64, term: UInt64, answers: [UnwrittenAnswer]) {
        self.run = run
        self.term = term
        self.answers = answers
    }

    package init(_ bytes: [UInt8]) throws(JournalProblem) {
        var reader = try MessageForm.open(bytes)
        run = try reader.varint("run")
        term = try reader.varint("term")
        answers = try reader.list("answers", bytesMin: 3) { reader throws(JournalProblem) in
            UnwrittenAnswer(
                ticket: try reader.varint("ticket"), after: try reader.varint("after"),
                outcome: try reader.outcome())
        }
        try reader.finish()
    }

    package var bytes: [UInt8] {
        var bytes = MessageForm.begin()
        bytes.append(varint: run)
        bytes.append(varint: term)
        bytes.append(list: answers) { bytes, answer in
            bytes.append(varint: answer.ticket)
            bytes.append(varint: answer.after)
            bytes.append(answer.outcome)
        }
        return bytes
    }
}

extension [UInt8] {
    /// Of the facts beside an answer, only a version matters on another node.
    fileprivate mutating func append(_ outcome: Outcome) {
        switch outcome {
        case .success(let answer):
            append(isTrue: true)
            append(field: answer.body)
            let version: Int64? = if case .version(let version) = answer.fact { version } else { nil }
            append(optional: version) { $0.append(signed: $1) }
        case .failure(let refusal):
            append(isTrue: false)
            append(text: refusal.code.rawValue)
            append(text: refusal.message)
            append(optional: refusal.field) { $0.append(text: $1) }
            append(optional: refusal.retryAfterMilliseconds) { $0.append(signed: $1) }
            append(optional: refusal.found) { bytes, found in
                bytes.append(signed: found.version)
                bytes.append(optional: found.data) { $0.append(field: $1) }
            }
        }
    }
}

extension FieldReader {
    fileprivate mutating func outcome() throws(JournalProblem) -> Outcome {
        guard try isTrue("outcome") else { return .failure(try refusal()) }
        let body = try field("answer")
        let version = try optional("version") { reader throws(JournalProblem) in try reader.signed("version") }
        return .success(EncodedAnswer(body, version.map(AnswerFact.version) ?? .none))
    }

    private mutating func refusal() throws(JournalProblem) -> Refusal {
        var refusal = Refusal(
            try value("refusal's code") { ErrorCode(rawValue: $0) }, try text("refusal's message"),
            field: try optional("refusal's field") { reader throws(JournalProblem) in
                try reader.text("refusal's field")
            },
            retryAfterMilliseconds: try optional("refusal's pause") { reader throws(JournalProblem) in
                try reader.signed("refusal's pause")
            })
        refusal.found = try optional("document found") { reader throws(JournalProblem) in
            Refusal.Found(
                version: try reader.signed("version found"),
                data: try reader.optional("data found") { reader throws(JournalProblem) in
                    try reader.field("data found")
                })
        }
        return refusal
    }
}
