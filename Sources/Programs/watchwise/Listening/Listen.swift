import ArgumentParser
import Authentication
import Client
import EventLoop
import Model
import Session

/// `watchwise listen`
struct Listen: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be a device of a user: print events as they come, and send the commands that you type.",
        discussion: """
            It stays connected, connects again when the connection breaks, and then gets what it missed. With --cursor it \
            also gets what it missed between two runs. Where the server runs, the secret in --data stands in for a token \
            of the user.

            A command is its name and its fields; 'help' lists all, 'help send' shows one. Keys are made where they are \
            needed. What comes from a pipe is sent in the same way. Without a terminal, or in the background, nothing \
            is read from the keyboard.

            EXAMPLES
              watchwise listen bob
              > send to=alice text=Seen it twice!
              > recommend to=alice product.id=movie/603 product.title="The Matrix"
              > {"type": "history", "chat": "alice:bob", "after": 0}
              watchwise listen bob --json --cursor bob.cursor >>events.jsonl
              watchwise listen --token "$BOB" --server https://chat.example.org --locale it
              echo 'follow topic=person:525' | watchwise listen bob --until-answered
            """
    )

    @Argument(help: .value("user", "The user: \(UserID.form). With a token it may be absent."))
    var user: String?
    @Option(help: .value("name", "The name of this device: a later connection with the same name replaces this one."))
    var device = "terminal"
    @Option(help: .value("tag", "The language of notifications, such as it."))
    var locale: String?
    @Option(help: .value("file", "Keep the place in the log there; the next run goes on from it."))
    var cursor: String?
    @Option(help: .value("n", "End after this number of events of the log."))
    var count: Int?
    @Flag(help: "End when standard input has ended and all its commands are answered; 1 if one was refused.")
    var untilAnswered = false
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let wanted = try user?.userID()
        if let count, count < 1 { throw CommandFailure(.misused, "--count must be 1 or more, not \(count)") }
        let address = try server.address()
        let token = try token(of: wanted, for: address)
        let place = cursor.map(CursorFile.init)
        var configuration = ClientSessionConfiguration(device: device)
        configuration.locale = locale
        configuration.client = "watchwise-listen/1"
        configuration.since = try place?.read()
        let loop = try Loop()
        let listening = Listening(
            on: loop, to: address, configuration, as: wanted, place, limits: (count, untilAnswered),
            printer: ListenPrinter(asJSON: server.json), token: token)
        try listening.start()
        loop.run()
        listening.close()
        if let failure = listening.failure { throw failure }
    }

    /// Makes a token for each connection, or sends the one that was given.
    private func token(of user: UserID?, for address: ServerAddress) throws -> () -> String? {
        switch try server.bearer(for: address) {
        case .token(let token): return { token }
        case .secret(let secret):
            guard let user else {
                throw CommandFailure(.misused, "name the user, or give a token of the user with --token")
            }
            return {
                let end = Surroundings.now.adding(milliseconds: 3_600_000)
                return JSONWebToken.sign(
                    Claims(subject: user, expiresAt: end), issuedAt: Surroundings.now, with: secret)
            }
        }
    }
}
