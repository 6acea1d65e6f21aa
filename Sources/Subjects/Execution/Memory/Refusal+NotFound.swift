package import ClientProtocol
package import Model

extension Refusal {
    /// No broadcast has the id.
    package static func noBroadcast(_ id: Int64) -> Refusal {
        Refusal(.notFound, "there is no broadcast \(id)", field: "id")
    }

    /// No document has the path.
    package static func noDocument(_ path: DocumentPath) -> Refusal {
        Refusal(.notFound, "there is no document \(path)", field: "path")
    }

    /// No trigger has the name.
    package static func noTrigger(_ name: String) -> Refusal {
        Refusal(.notFound, "there is no trigger \(name)", field: "name")
    }

    /// The server does not know the user.
    package static func noUser(_ user: UserID, field: String = "user") -> Refusal {
        Refusal(.notFound, "there is no user \(user.text)", field: field)
    }
}
