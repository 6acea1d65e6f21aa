import JSON

/// The members of an object: all are checked in one pass, and each is decoded when it is asked for.
///
/// A flat list, because commands have few members. Names, and members that nobody asks for, are not made into strings.
/// A member that is `null` counts as absent, since many clients write the fields that they leave out.
///
/// - Confinement: any
package struct Fields: Sendable {
    private struct Member: Sendable {
        let name: JSONToken
        let token: JSONToken
    }

    private let bytes: [UInt8]
    private let path: String
    private var members: [Member] = []

    /// Reads the object that comes next in `reader`.
    ///
    /// - Parameters:
    ///   - reader: At the start of the object; afterwards at its end.
    ///   - path: The path of the object, empty for the command itself.
    init(_ reader: inout JSONReader, path: String) throws(JSONError) {
        bytes = reader.bytes
        self.path = path
        members.reserveCapacity(8)
        try reader.beginObject()
        while let name = try reader.nextNameToken() { members.append(Member(name: name, token: try reader.skip())) }
    }

    /// The member of that name, nil when it is absent or `null`.
    func optional(_ name: String) -> Field? {
        for member in members where member.name.isText(name, in: bytes) {
            return member.token.kind == .null ? nil : Field(bytes: bytes, token: member.token, path: path(of: name))
        }
        return nil
    }

    /// The member of that name.
    ///
    /// - Throws: `bad-request` when it is absent.
    func required(_ name: String) throws(Refusal) -> Field {
        guard let field = optional(name) else { throw .badRequest(field: path(of: name), "is required") }
        return field
    }

    /// A sentence about the members whose names are not among these; nil when there are none. They are ignored: a client of a later
    /// version may send them.
    func warning(ofAllBut known: KnownNames, in command: @autoclosure () -> String) -> String? {
        var unknown: [String] = []
        for member in members where member.token.kind != .null {
            if !known.contains(member.name, in: bytes) { unknown.append(member.name.string(in: bytes)) }
        }
        guard !unknown.isEmpty else { return nil }
        let named = unknown.prefix(Self.namedMax).map { "'\($0.prefix(Self.nameCharactersMax))'" }.joined(
            separator: ", ")
        let more = unknown.count > Self.namedMax ? " and \(unknown.count - Self.namedMax) more" : ""
        return "\(command()) ignores the unknown \(unknown.count == 1 ? "field" : "fields") \(named)\(more)"
    }

    /// How much of hostile names is sent back.
    private static let (namedMax, nameCharactersMax) = (4, 32)

    private func path(of name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }
}
