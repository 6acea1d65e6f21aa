/// What is wrong with the description of a feed.
///
/// - Confinement: any
package struct FeedProblem: Error, Sendable, Hashable {
    /// The member at fault.
    package let field: String
    /// What is wrong and what is allowed, as it goes on after the field.
    package let message: String

    package init(field: String, message: String) {
        self.field = field
        self.message = message
    }
}

/// Why an answer could not be read: a phrase for the log and for people.
///
/// - Confinement: any
package struct FeedUnreadable: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
