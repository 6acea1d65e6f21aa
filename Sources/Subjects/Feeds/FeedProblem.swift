/// A mistake in the description of a feed.
///
/// - Confinement: any
package struct FeedProblem: Error, Sendable, Hashable {
    /// The wrong member.
    package let field: String
    /// The mistake and the allowed values, in words that follow the name of the member.
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
