import JSON
package import Model

/// The members of a document and the follows that give a user a right. One of them is enough.
///
/// - Confinement: any
package struct ContentGrant: Sendable, Hashable {
    /// Fields of the document. One of them must name the user.
    package let fields: Set<String>
    /// Roles. The user must have one of them.
    package let roles: Set<RoleName>
    /// The topic that the user may follow instead.
    package let topic: Topic?
}

extension ContentGrant {
    init(_ parties: Set<DocumentParty>, topic: Topic?) {
        self.init(fields: Set(parties.compactMap(\.field)), roles: Set(parties.compactMap(\.role)), topic: topic)
    }

    /// Whether the right depends on no document.
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
