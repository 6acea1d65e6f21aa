package import JSON

/// What the server's own writes of things due answer about what is left.
///
/// - Confinement: any
package enum DueBatch {
    /// Member of the answer: the batch was full, so more may be due already.
    static let isMoreDue = "more"

    /// Whether an answer says that its batch was full.
    package static func wasFull(_ answer: JSONValue) -> Bool { answer[isMoreDue]?.boolValue ?? false }
}
