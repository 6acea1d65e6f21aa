import Execution
import Model
import Store

/// The part of people that lists show: the members of the documents `users/USER` that the configuration names, read at once.
///
/// The operator who names them opens them to everybody in a chat with the user; the table of rules decides about the
/// document itself. A member that is as large as a letter is left out, since a list has two hundred of them.
///
/// - Confinement: store (a reader's thread)
struct ProfileReading {
    private var found: [String: [(name: String, json: String)]] = [:]
    private let collection: String

    init(of people: [UserID], in context: ReadContext) throws {
        collection = context.collections.collection(ofKind: "user")
        guard !context.profile.isEmpty else { return }
        found = try context.transaction.documents.members(context.profile, of: people.map(path))
            .mapValues { $0.filter { $0.json.utf8.count <= DocumentLimits.profileMemberBytesMax } }
    }

    /// The members of a person's document that are there, as JSON.
    subscript(_ person: UserID) -> [(name: String, json: String)] { found[path(person)] ?? [] }

    private func path(_ person: UserID) -> String { "\(collection)/\(person.text)" }
}
