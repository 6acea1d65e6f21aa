package import Model

/// Under which condition a user may read.
///
/// - Confinement: any
package enum ReadGrant: Sendable, Hashable {
    case always
    case whileFollowing(Topic)
    /// By what the document itself, or that of a role, says; or by the follow, where there is a topic.
    case byContent(ContentGrant)

    /// Under which condition he may watch; nil when he may not: that a document or a role is somebody else's now ends no
    /// watch, so neither begins one.
    package var forWatching: ReadGrant? {
        guard case .byContent(let content) = self else { return self }
        return content.topic.map { .whileFollowing($0) }
    }

    /// What both grant: of two documents of one collection.
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
