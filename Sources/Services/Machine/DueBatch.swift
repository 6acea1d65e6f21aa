package import JSON

/// The part of the answer to a write of due work that says whether more work is due.
///
/// - Confinement: any
package enum DueBatch {
    /// The member of the answer that says that the batch was full, so more may be due already.
    static let isMoreDue = "more"

    /// Whether an answer says that its batch was full.
    package static func wasFull(_ answer: JSONValue) -> Bool { answer[isMoreDue]?.boolValue ?? false }
}
