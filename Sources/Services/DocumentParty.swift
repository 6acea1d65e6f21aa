import JSON

/// Who may do something with a document, besides the server's own HTTP API, which may do everything.
///
/// - Confinement: any
enum DocumentParty: Sendable, Hashable {
    /// Nobody else.
    case server
    /// Every user.
    case `public`
    /// The user whose id stands in the path where the pattern has `{user}`.
    case owner
    /// Who follows the topic that the path's first collection and id name: of `station:114` for `stations/114/…`. A
    /// user counts among his own followers.
    case followers
    /// The user whom this field of the document names, as a text or in a list: `field:author`.
    case field(String)
    /// The users who have this role, which is who has a document `roles/ROLE/users/USER`: `role:librarian`.
    case role(String)

    /// What a rule says something about.
    enum Column: String {
        case read
        case write

        /// The words it takes, for people.
        var words: String {
            switch self {
            case .read: "one of server, public, owner, followers, field:NAME, role:NAME"
            case .write: "one of server, owner, field:NAME, role:NAME"
            }
        }
    }

    private static let nameBytesMax = 64

    /// Reads a word.
    ///
    /// - Throws: `AccessProblem` without a place.
    init(_ word: String, _ column: Column) throws(AccessProblem) {
        switch (word, column) {
        case ("server", _): self = .server
        case ("owner", _): self = .owner
        case ("public", .read): self = .public
        case ("followers", .read): self = .followers
        case _ where word.hasPrefix("field:"): self = .field(try Self.name(in: word))
        case _ where word.hasPrefix("role:"): self = .role(try Self.name(in: word))
        default: throw AccessProblem("must be \(column.words), not '\(word.prefix(40))'")
        }
    }

    /// What stands behind the colon.
    private static func name(in word: String) throws(AccessProblem) -> String {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[1])
        let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        guard !name.isEmpty, name.utf8.count <= nameBytesMax, isName else {
            throw AccessProblem("needs a name of A-Z a-z 0-9 _ - behind \(parts[0]):, not '\(name.prefix(40))'")
        }
        return name
    }

    /// Reads a column: a word, or a list of them; absent is nobody.
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

    /// Whether a rule of this word alone gives writing, too.
    var writesAlone: Bool {
        switch self {
        case .owner, .field, .role: true
        case .server, .public, .followers: false
        }
    }

    /// The field's name, where it is one.
    var field: String? { if case .field(let name) = self { name } else { nil } }

    /// The role's name, where it is one.
    var role: String? { if case .role(let name) = self { name } else { nil } }
}
