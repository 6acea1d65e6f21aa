import JSON

/// The answer of a use case as it leaves the rules: JSON for the client, and what the server must know beside it.
///
/// - Confinement: any
package struct EncodedAnswer: Sendable {
    /// The reply's `ok` object, as JSON.
    package let body: [UInt8]
    package let fact: AnswerFact

    package init(_ body: [UInt8], _ fact: AnswerFact = .none) {
        self.body = body
        self.fact = fact
    }

    /// Encodes an answer, without ``UseCaseAnswer/unkeptData``.
    ///
    /// - Parameter capacity: bytes for which there is room at once.
    init(_ answer: some UseCaseAnswer, capacity: Int) {
        var writer = JSONWriter(capacity: capacity)
        writer.beginObject()
        answer.write(to: &writer)
        writer.endObject()
        self.init(writer.fittedBytes, answer.fact)
    }
}

extension ReadUseCase {
    /// Reads, and encodes the answer.
    package func encodedAnswer(in context: ReadContext) throws -> EncodedAnswer {
        EncodedAnswer(try perform(in: context), capacity: 1024)
    }
}

extension WriteUseCase {
    /// Checks, writes, and encodes the answer.
    ///
    /// - Returns: the answer as it is kept with the key of the write, and ``UseCaseAnswer/unkeptData``.
    func encodedAnswer(in context: WriteContext) throws -> (answer: EncodedAnswer, data: [UInt8]?) {
        let answer = try perform(in: context)
        return (EncodedAnswer(answer, capacity: 128), answer.unkeptData)
    }
}
