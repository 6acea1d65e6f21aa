import ClientProtocol
import Model

extension Refusal {
    static func noBroadcast(_ id: Int64) -> Refusal { Refusal(.notFound, "there is no broadcast \(id)", field: "id") }

    static func noDocument(_ path: DocumentPath) -> Refusal {
        Refusal(.notFound, "there is no document \(path)", field: "path")
    }

    static func noTrigger(_ name: String) -> Refusal {
        Refusal(.notFound, "there is no trigger \(name)", field: "name")
    }

    static func noUser(_ user: UserID, field: String = "user") -> Refusal {
        Refusal(.notFound, "there is no user \(user.text)", field: field)
    }
}
