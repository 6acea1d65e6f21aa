import ArgumentParser
import Console
import Foundation
import JSON
import Model

/// The people of a broadcast, for `send` and `change`.
struct BroadcastAudienceOptions: ParsableArguments {
    @Option(
        name: .customLong("audience"),
        help: .value(
            "audience",
            "everyone, online, user:ID, room:ID, role:NAME, or a topic, such as person:525; may be repeated."))
    var audiences: [String] = []
    @Option(help: .value("file", "A file with a user id in each line; - is standard input."))
    var audienceFile: String?
    @Option(name: .customLong("except"), help: .value("audience", "People who do not get it; may be repeated."))
    var exceptions: [String] = []

    var isEmpty: Bool { audiences.isEmpty && audienceFile == nil }

    var isEveryone: Bool { audiences.contains("everyone") }

    /// For people.
    var name: String {
        let file = audienceFile.map { $0 == "-" ? "the people of standard input" : "the people of \($0)" }
        let except = exceptions.isEmpty ? "" : " except " + exceptions.joined(separator: ", ")
        return (audiences + (file.map { [$0] } ?? [])).joined(separator: ", ") + except
    }

    /// Adds them to a request. A single audience has the form that all servers know.
    func add(to body: inout JSONValue) throws {
        let users = try audienceFile.map { try Self.users(in: $0) }
        let isListed = (audiences + exceptions).contains { $0.hasPrefix("room:") || $0.hasPrefix("role:") }
        if audiences.count == 1, users == nil, exceptions.isEmpty, !isListed {
            body["audience"] = .string(audiences[0])
            return
        }
        if !audiences.isEmpty { body["audiences"] = .array(audiences.map { .string($0) }) }
        if let users { body["users"] = .array(users.map { .string($0.text) }) }
        if !exceptions.isEmpty { body["except"] = .array(exceptions.map { .string($0) }) }
    }

    /// The user ids of a file, one in a line; the topic of a user, `user:ID`, is one, too.
    private static func users(in file: String) throws -> [UserID] {
        let bytes = file == "-" ? try JSONArgument.standardInput() : try Files.read(file)
        let place = file == "-" ? "standard input" : file
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.misused, "\(place) is not UTF-8 text")
        }
        let users = try users(ofLines: text, place: place)
        guard !users.isEmpty else { throw CommandFailure(.misused, "\(place) has no user id") }
        guard users.count <= BroadcastLimits.namedMax else {
            throw CommandFailure(
                .misused,
                """
                \(place) has \(Int64(users.count).grouped) user ids, and a broadcast takes at most \
                \(Int64(BroadcastLimits.namedMax).grouped); let more people follow a topic, or split the file
                """)
        }
        return users
    }

    /// The same for text.
    ///
    /// - Throws: `CommandFailure` that names the line.
    static func users(ofLines text: String, place: String) throws -> [UserID] {
        var users: [UserID] = []
        var known: Set<UserID> = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let word = line.trimmingCharacters(in: .whitespaces.union(["\u{feff}"]))
            if word.isEmpty || word.hasPrefix("#") { continue }
            guard let user = UserID(word.hasPrefix("user:") ? String(word.dropFirst(5)) : word) else {
                throw CommandFailure(
                    .misused, "\(place), line \(index + 1): '\(word.cut(to: 40))' is not a user id, \(UserID.form)")
            }
            if known.insert(user).inserted { users.append(user) }
        }
        return users
    }
}
