import JSON
import Model

/// The people who may do something with a document. The server's own HTTP API may do everything.
///
/// - Confinement: any
enum DocumentParty: Sendable, Hashable {
    /// Nobody else.
    case server
    /// Everybody, also without a token.
    case anyone
    /// Every user.
    case `public`
    /// The user whose id stands in the path where the pattern has `{user}`.
    case owner
    /// The followers of the topic that the path's first collection and id name: of `station:114` for `stations/114/…`.
    /// A user counts as a follower of themselves.
    case followers
    /// The user whom this field of the document names, as a text or in a list: `field:author`.
    case field(String)
    /// The users who have this role, by their token or by a document `roles/ROLE/users/USER`: `role:librarian`.
    case role(RoleName)

    /// The parts of a rule.
    enum Column: String {
        case read
        case write

        /// The words that it may have, for a message.
        var words: String {
            switch self {
            case .read: "one of server, anyone, public, owner, followers, field:NAME, role:NAME"
            case .write: "one of server, owner, field:NAME, role:NAME"
            }
        }
    }

    /// Reads a word.
    ///
    /// - Throws: `AccessProblem` without a place.
    init(_ word: String, _ column: Column) throws(AccessProblem) {
        switch (word, column) {
        case ("server", _): self = .server
        case ("owner", _): self = .owner
        case ("anyone", .read): self = .anyone
        case ("public", .read): self = .public
        case ("followers", .read): self = .followers
        case _ where word.hasPrefix("field:"): self = .field(try Self.name(in: word).text)
        case _ where word.hasPrefix("role:"): self = .role(try Self.name(in: word))
        default: throw AccessProblem("must be \(column.words), not '\(word.prefix(40))'")
        }
    }

    /// The name after the colon: names of fields have the form of names of roles.
    private static func name(in word: String) throws(AccessProblem) -> RoleName {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = RoleName(String(parts[1])) else {
            throw AccessProblem("needs a name of \(RoleName.form) after \(parts[0]):, not '\(parts[1].prefix(40))'")
        }
        return name
    }

    /// Reads a column: a word, or a list of them; an absent column is nobody.
    ///
    /// - Throws: `AccessProblem` with the column as its place.
    static func parties(_ value: JSONValue?, _ column: Column) throws(AccessProblem) -> Set<DocumentParty> {
        guard let value else { return [] }
        var parties: Set<DocumentParty> = []
        for item in value.arrayValue ?? [value] {
            do throws(AccessProblem) {
                guard let word = item.stringValue else { throw AccessProblem("must be \(column.words)") }
                parties.insert(try DocumentParty(word, column))
            } catch {
                throw AccessProblem(field: column.rawValue, error.message)
            }
        }
        return parties
    }

    /// Whether this word alone, without `read` and `write`, also allows writing.
    var writesAlone: Bool {
        switch self {
        case .owner, .field, .role: true
        case .server, .anyone, .public, .followers: false
        }
    }

    /// The name of the field; nil for all other words.
    var field: String? { if case .field(let name) = self { name } else { nil } }

    /// The name of the role; nil for all other words.
    var role: RoleName? { if case .role(let name) = self { name } else { nil } }
}
