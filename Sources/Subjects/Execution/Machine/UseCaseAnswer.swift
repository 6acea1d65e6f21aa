package import JSON

/// The answer of a use case, as a value. ``EncodedAnswer`` makes JSON of it, once; nothing in the server reads that again.
///
/// - Confinement: any
package protocol UseCaseAnswer: Sendable {
    /// Writes the members of the reply's `ok` object; nothing where only the server itself asks for the use case.
    func write(to reply: inout JSONWriter)

    /// The JSON of an object that stands in the answer as `data`, after all other members. It is not kept with the key of
    /// a write, since it may be a thousand times as long as the command. Nil for nearly all.
    var unkeptData: [UInt8]? { get }

    /// The part of the answer that the server itself needs.
    var fact: AnswerFact { get }
}

extension UseCaseAnswer {
    package var unkeptData: [UInt8]? { nil }
    package var fact: AnswerFact { .none }
}

/// A short answer or a report, as the members of its object.
extension JSONObject: UseCaseAnswer {
    package func write(to reply: inout JSONWriter) {
        for (name, value) in members { reply.member(name, value) }
    }
}

/// The answer of a use case for the server alone: no members.
extension AnswerFact: UseCaseAnswer {
    package func write(to reply: inout JSONWriter) {}
    package var fact: AnswerFact { self }
}

/// A short answer, and the part of it that the server itself needs.
///
/// - Confinement: any
package struct AnswerWithFact: UseCaseAnswer {
    let members: JSONObject
    package let fact: AnswerFact

    package init(_ members: JSONObject, _ fact: AnswerFact) {
        self.members = members
        self.fact = fact
    }

    package func write(to reply: inout JSONWriter) { members.write(to: &reply) }
}
