import JSON
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

/// Under which condition a user may write.
///
/// - Confinement: any
package enum WriteGrant: Sendable, Hashable {
    case always
    case byContent(ContentGrant)
}

/// What must be said somewhere for a user to have a right; one of it is enough.
///
/// - Confinement: any
package struct ContentGrant: Sendable, Hashable {
    /// Fields of the document, of which one must name the user.
    package let fields: Set<String>
    /// Roles, of which the user must have one.
    package let roles: Set<RoleName>
    /// The topic that he may follow instead.
    package let topic: Topic?

    init(fields: Set<String>, roles: Set<RoleName>, topic: Topic?) {
        self.fields = fields
        self.roles = roles
        self.topic = topic
    }

    init(_ parties: Set<DocumentParty>, topic: Topic?) {
        self.init(fields: Set(parties.compactMap(\.field)), roles: Set(parties.compactMap(\.role)), topic: topic)
    }

    /// Whether nothing depends on any document.
    var isEmpty: Bool { fields.isEmpty && roles.isEmpty }

    /// Whether a field of the document names the user.
    func isNamed(_ user: UserID, in document: JSONValue?) -> Bool {
        fields.contains { field in
            switch document?[field] {
            case .string(let name)?: name == user.text
            case .array(let names)?: names.contains(.string(user.text))
            default: false
            }
        }
    }
}
