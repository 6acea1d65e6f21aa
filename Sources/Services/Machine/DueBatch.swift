package import JSON

/// What the writes by which the server does due work answer about the rest.
///
/// - Confinement: any
package enum DueBatch {
    /// The member of the answer that says that the batch was full, so more may be due already.
    static let isMoreDue = "more"

    /// Whether an answer says that its batch was full.
    package static func wasFull(_ answer: JSONValue) -> Bool { answer[isMoreDue]?.boolValue ?? false }
}
