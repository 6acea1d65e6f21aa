package import Execution
package import Model

/// A user by number and name.
///
/// - Confinement: any
package struct Person: Sendable, Hashable {
    package let id: StreamID
    package let name: UserID

    package init(id: StreamID, name: UserID) {
        self.id = id
        self.name = name
    }

    /// The user as the actor of a request, with the roles of the token.
    package func actor(_ roles: Set<RoleName>) -> Actor { .user(id, name, roles: roles) }
}
