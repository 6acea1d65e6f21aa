package import JSON

/// The answer of the writes by which the server does due work.
///
/// - Confinement: any
package struct DueBatch: UseCaseAnswer {
    /// Whether the batch was full, so more may be due already.
    package let isMoreDue: Bool

    package init(isMoreDue: Bool) { self.isMoreDue = isMoreDue }

    package func write(to reply: inout JSONWriter) {}
    package var fact: AnswerFact { .due(isMore: isMoreDue) }
}
