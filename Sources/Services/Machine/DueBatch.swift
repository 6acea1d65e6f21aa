package import JSON

/// The answer of the server's own writes of things due.
///
/// - Confinement: any
package struct DueBatch: UseCaseAnswer {
    /// Whether the batch was full, so that more may be due already.
    let isMoreDue: Bool

    package func write(to reply: inout JSONWriter) {}
    package var fact: AnswerFact { .due(isMore: isMoreDue) }
}
