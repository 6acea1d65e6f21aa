import ArgumentParser
import Client
import Console
import JSON
import Model

/// `watchwise user`
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Mute, ban or limit a user; export or erase everything about one.",
        discussion: """
            EXAMPLES
              watchwise user show mallory
              watchwise user restrict mallory --mute --until 24h --reason "spam; object at help@example.org"
              watchwise user restrict mallory --ban --reason "threats"
              watchwise user restrict mallory --end
              watchwise user limits feedbot send=600/10s first-contact=1000/1d
              watchwise user deactivate alice --reason "left the company"
              watchwise user export alice > alice.jsonl
              watchwise user erase alice --messages redact --wait
            """,
        subcommands: [
            UserShow.self, UserRestrict.self, UserLimits.self, UserExportCommand.self, UserEraseCommand.self,
            UserErasureCommand.self, UserInvite.self, UserDeactivate.self, UserReactivate.self,
        ]
    )
}

extension String {
    /// The id of a user as a command got it. It throws when it has another form, as the next one does.
    func userID() throws -> UserID { try UserID(self) ?? misfit() }

    /// The id of somebody who may be here already, as a part of a request's path.
    func userSegment() throws -> String { try (UserID(admitted: self) ?? misfit()).segment }

    private func misfit() throws -> UserID {
        throw CommandFailure(.misused, "USER must be \(UserID.form), not '\(self)'")
    }
}

/// `watchwise user show`
struct UserShow: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "The restrictions of a user, and the user's own limits.",
        discussion: """
            EXAMPLES
              watchwise user show mallory
            """)

    @Argument(help: .value("user", "The user: \(UserID.form)."))
    var user: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        let (client, user) = (try server.connect(), try user.userSegment())
        var answer = try client.ask("GET", "users/\(user)/restrictions")
        answer["limits"] = try client.ask("GET", "users/\(user)/limits")["limits"] ?? .null
        return answer
    }

    func show(_ answer: JSONValue) {
        let restrictions = answer["restrictions"]?.arrayValue ?? []
        if let since = answer["deactivated"]?["at"]?.stringValue {
            Terminal.line("\(user) is deactivated since \(since); undo: watchwise user reactivate \(user)")
        }
        if restrictions.isEmpty {
            Terminal.line("\(user) is not restricted")
        } else {
            Table(
                of: restrictions,
                [.left("KIND"), .left("UNTIL"), .left("AT"), .left("BY"), .left("REASON", cutTo: 80)]
            ).show()
        }
        guard let limits = answer["limits"]?.objectValue else { return }
        Terminal.line(
            "own limits: " + limits.members.map { "\($0.name)=\($0.value.stringValue ?? "")" }.joined(separator: " "))
    }
}

/// `watchwise user restrict`
struct UserRestrict: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "restrict", abstract: "Keep a user from writing to others, or from coming in; or end that.",
        discussion: """
            --mute: the user reads, and writes nothing to others. --ban: all sessions end with 4403, and no new one \
            begins. Both end by themselves at --until. The user gets the reason: say what, why, and how to object.

            EXAMPLES
              watchwise user restrict mallory --mute --until 24h --reason "spam"
              watchwise user restrict mallory --ban --until 2027-01-01T00:00:00Z --reason "threats"
              watchwise user restrict mallory --end
              watchwise user restrict mallory --end --mute
            """)

    @Argument(help: .value("user", "The user: \(UserID.form)."))
    var user: String
    @Flag(help: "The user writes nothing to others.")
    var mute = false
    @Flag(help: "The user has no session.")
    var ban = false
    @Option(help: .value("time", "When it ends by itself: a time, or 24h. (default: never)"))
    var until: String?
    @Option(help: .value("text", "The reason, which the user gets."))
    var reason: String?
    @Flag(help: "End it now: --mute or --ban, or both without these.")
    var end = false
    @OptionGroup(title: "The server") var server: ServerOptions

    private var kind: String? { mute ? "mute" : ban ? "ban" : nil }

    func answer() throws -> JSONValue {
        let path = "users/\(try user.userSegment())/restrictions"
        guard !(mute && ban) else { throw CommandFailure(.misused, "give --mute or --ban, not both") }
        if end {
            guard until == nil, reason == nil else {
                throw CommandFailure(.misused, "--end takes neither --until nor --reason")
            }
            return try server.connect().ask("DELETE", path, query: kind.map { [("kind", $0)] } ?? [])
        }
        guard let kind else { throw CommandFailure(.misused, "give --mute, --ban or --end") }
        guard let reason else { throw CommandFailure(.misused, "give --reason: the user gets it") }
        var body: JSONValue = ["kind": .string(kind), "reason": .string(reason)]
        body["until"] = until.map { .string(Surroundings.time($0)) }
        return try server.connect().change("PUT", path, body)
    }

    func show(_ answer: JSONValue) {
        if end {
            let ended = (answer["ended"]?.arrayValue ?? []).compactMap(\.stringValue)
            return Terminal.line(
                ended.isEmpty ? "\(user) was not restricted" : "\(user): \(ended.joined(separator: " and ")) ended")
        }
        let end = answer["until"]?.stringValue.map { " until \($0)" } ?? ""
        Terminal.line("\(user) is \(mute ? "muted" : "banned")\(end); undo: watchwise user restrict \(user) --end")
    }
}

/// `watchwise user limits`
struct UserLimits: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits", abstract: "Give a user limits in place of the configured ones.",
        discussion: """
            Deeds are send, first-contact, recommend, follow, report, room.create and new-name. They are counted over all devices of the user.

            EXAMPLES
              watchwise user limits feedbot send=600/10s
              watchwise user limits feedbot --default
            """)

    @Argument(help: .value("user", "The user: \(UserID.form)."))
    var user: String
    @Argument(help: .value("deed=n/time", "Limits, such as send=30/10s."))
    var limits: [String] = []
    @Flag(name: .customLong("default"), help: "The configured limits hold again.")
    var isDefault = false
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        let path = "users/\(try user.userSegment())/limits"
        guard limits.isEmpty == isDefault else { throw CommandFailure(.misused, "give DEED=N/TIME …, or --default") }
        if isDefault { return try server.connect().ask("DELETE", path) }
        var body: JSONValue = [:]
        for limit in limits {
            let parts = limit.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw CommandFailure(.misused, "'\(limit)' must be a deed and its limit, such as send=30/10s")
            }
            body[parts[0]] = .string(parts[1])
        }
        return try server.connect().change("PUT", path, body)
    }

    func show(_ answer: JSONValue) {
        Terminal.line(
            isDefault ? "\(user) has the configured limits" : "\(user): \(limits.joined(separator: " "))")
    }
}
