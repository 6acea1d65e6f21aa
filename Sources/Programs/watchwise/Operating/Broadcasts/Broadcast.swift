import ArgumentParser
import Client
import ClientProtocol
import Console
import JSON
import Model

/// `watchwise broadcast`
struct BroadcastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcast",
        abstract: "Send a notification to many, now or at a time; look at those sent, or take one back.",
        discussion: """
            EXAMPLES
              watchwise broadcast --audience everyone Hello --title it=Ciao
              watchwise broadcast --audience person:525 'A new film' --dry-run
              watchwise broadcast --audience everyone 'Half the price' --kind offers
              watchwise broadcast --audience everyone 'Tonight at eight' --at 2026-12-24T18:00
              watchwise broadcast list
              watchwise broadcast change 7 --at 2026-12-24T19:00
              watchwise broadcast cancel 7
              watchwise help broadcast send                    all options
            """,
        subcommands: [
            Broadcast.self, BroadcastList.self, BroadcastShow.self, BroadcastChangeCommand.self, BroadcastCancel.self,
        ],
        defaultSubcommand: Broadcast.self
    )
}

/// `watchwise broadcast send`, also without the word `send`
struct Broadcast: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a notification to everyone, to those online, to topics' followers, rooms, roles or people.",
        discussion: """
            TITLE and --body are for readers whose language is not given; --title LANGUAGE=TEXT and \
            --body LANGUAGE=TEXT add languages, both the same ones. Connected people get it at once, the others when they \
            next connect; with --audience online the others never do.

            --dry-run sends nothing. It shows each text as a locked phone does, with its readers, and how many people are \
            online, have a device, or have chosen that it does not ring.

            --kind is the word by which readers mute it or let it pass, so that they can refuse offers and keep outages. \
            With --key, the same command again sends nothing more, and shows what the first one did.

            With --at, it waits for its time: with Z or an offset it is one moment for all, without one each person gets it \
            when their own clock shows it. Whom it reaches is decided then.

            When the audience is nobody, the command asks; where it cannot, it sends nothing and exits with 3. A critical \
            one to everyone rings through mutes and quiet hours, so it is asked about twice; --yes does not answer that.

            --audience and --except may be repeated, and each person gets it once. room:ID are the members of a room, and \
            role:NAME those to whom a document roles/NAME/users/ID gives the role: roles in tokens are not known to the \
            server. A file of --audience-file has a user id in each line; empty lines and those that begin with # are left out.

            EXAMPLES
              watchwise broadcast --audience everyone Hello --title it=Ciao
              watchwise broadcast --audience person:525 'A new film' --dry-run
              watchwise broadcast --audience user:alice Hello --attach '{"url": "/"}'
              watchwise broadcast --audience everyone Hello --expires 24h --yes
              watchwise broadcast --audience everyone 'Half the price' --kind offers --key sale-7
              watchwise broadcast --audience person:525 --audience room:1c --except role:staff 'Tonight'
              watchwise broadcast --audience-file guests.txt 'The doors open at seven' --dry-run
              watchwise broadcast --audience online 'Back in five minutes' --expires 10m
              watchwise broadcast --audience everyone 'Good morning' --at 2026-12-25T08:00
            """
    )

    @OptionGroup(title: "The people") var people: BroadcastAudienceOptions
    @Argument(help: "The title; --title works, too.")
    var title: String?
    @OptionGroup(title: "The notification") var words: BroadcastOptions
    @Option(help: .value("text", "A key of your own: with it, the same command sends once, however often it runs."))
    var key: String?
    @Flag(help: "Send nothing; show whom it would reach, and each text as a phone shows it.")
    var dryRun = false
    @Flag(
        help: "Send without asking, also to more than \(Int64(BroadcastQuestion.askAbove).grouped) people or to nobody."
    )
    var yes = false
    @Flag(help: "Send a critical one to everyone without asking.")
    var criticalToEveryone = false
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let body = try body()
        let level = try words.level ?? .active
        let client = try server.connect()
        let found = try outlook(body, level, client)
        if dryRun, let found {
            Terminal.line(
                server.json ? found.json.text : (found.lines + ["", "Nothing was sent."]).joined(separator: "\n"))
            if found.count == 0 { throw CommandFailure(.nothingDone, BroadcastQuestion.nobody(people.name)) }
            return
        }
        let question = BroadcastQuestion(
            audience: people.name, isEveryone: people.isEveryone, level: level, size: found?.count)
        try question.ask(yes: yes, criticalToEveryone: criticalToEveryone)
        try send(body, size: found?.count, with: client)
    }

    private func body() throws -> JSONValue {
        if let title, let meant = BroadcastWord.command(meantBy: title) {
            throw CommandFailure(
                .misused,
                """
                '\(title)' is no command of broadcast; watchwise broadcast \(meant) is. To send '\(title)' as a title, write \
                --title '\(title)'
                """)
        }
        guard !people.isEmpty else {
            throw CommandFailure(.misused, "--audience or --audience-file is required, such as --audience everyone")
        }
        guard title != nil || words.hasTitle else {
            throw CommandFailure(.misused, "a title is required: watchwise broadcast --audience everyone TITLE")
        }
        var body: JSONValue = [:]
        try people.add(to: &body)
        try words.add(to: &body, title: title, isKeyed: key != nil)
        return body
    }

    /// The result of a dry run; nil for a repetition, about which the server alone can say what the first one did.
    private func outlook(
        _ body: JSONValue, _ level: InterruptionLevel, _ client: AdminClient
    ) throws -> BroadcastOutlook? {
        do {
            return try BroadcastOutlook(
                of: body, audience: people.name, kind: words.kind ?? NotificationFacts.broadcastKind, level,
                isWhole: dryRun, client)
        } catch let failure as CommandFailure
            where key != nil && !dryRun && failure.description.hasPrefix(ErrorCode.badRequest.rawValue)
        {
            // Its time may be over by now. The first run under the key is answered all the same, and anything else is refused.
            return nil
        }
    }

    private func send(_ body: JSONValue, size: Int64? = nil, with client: AdminClient) throws {
        let request = client.request("POST", "broadcasts").with(body: body)
        let sent = try client.ask(request.with(key: key ?? AdminClient.newKey()))
        let id = sent["id"]?.stringValue ?? ""
        if let unknown = BroadcastOutlook.unknownUsers(in: sent) { Terminal.note(unknown) }
        if let time = sent["at"]?.stringValue {
            if server.json { return Terminal.line(sent.text) }
            let clock = time.hasSuffix("Z") ? "" : " of each clock"
            Terminal.line("broadcast \(id) to \(people.name) waits until \(time)\(clock)")
            return Terminal.line("to change or cancel it: watchwise broadcast change \(id) …, broadcast cancel \(id)")
        }
        let size = size ?? sent["size"]?.integerValue ?? 0
        if !server.json { Terminal.line("broadcast \(id) to \(people.name): \(size.counted("person", "people"))") }
        try BroadcastProgress(id: id, audience: people.name, size: size, isJSON: server.json).follow(with: client)
    }
}
