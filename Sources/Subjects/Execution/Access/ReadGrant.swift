package import Model

/// The condition under which a user may read.
///
/// - Confinement: any
package enum ReadGrant: Sendable, Hashable {
    case always
    case whileFollowing(Topic)
    /// A field of the document or the document of a role must name the user; or the user follows the topic, if there is
    /// one.
    case byContent(ContentGrant)

    /// The condition under which the user may watch; nil when the user may not. A document or a role that passes to
    /// somebody else does not end a watch, so it does not allow one either.
    package var forWatching: ReadGrant? {
        guard case .byContent(let content) = self else { return self }
        return content.topic.map { .whileFollowing($0) }
    }

    /// The right that both grants give, for two documents of one collection.
    func and(_ other: ReadGrant) -> ReadGrant {
        switch (self, other) {
        case (.always, _): other
        case (.byContent(let one), .byContent(let two)) where one.topic != two.topic:
            .byContent(ContentGrant(fields: one.fields, roles: one.roles, topic: nil))
        case (_, .byContent): other
        case (_, .always), (.byContent, _), (.whileFollowing, .whileFollowing): self
        }
    }
}
