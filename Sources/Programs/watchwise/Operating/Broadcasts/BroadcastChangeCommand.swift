import ArgumentParser
import Client
import Console
import JSON

/// `watchwise broadcast change`
struct BroadcastChangeCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Change a broadcast that waits: its text, its time or its people.",
        discussion: """
            What is not given stays as it is. Title and body go together: a new title alone takes the body away. Only a \
            broadcast of which nobody has got anything can be changed; one that was sent is taken back with 'cancel'.

            EXAMPLES
              watchwise broadcast change 7 --at 2026-12-24T19:00
              watchwise broadcast change 7 --title 'Tonight at nine' --title it='Stasera alle nove'
              watchwise broadcast change 7 --audience everyone --except role:staff
            """)

    @Argument(help: .value("id", "The number that 'watchwise broadcast' printed."))
    var id: String
    @OptionGroup(title: "The people") var people: BroadcastAudienceOptions
    @OptionGroup(title: "The notification") var words: BroadcastOptions
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        var body: JSONValue = [:]
        guard !people.isEmpty || people.exceptions.isEmpty else {
            throw CommandFailure(.misused, "--except goes with --audience: the people are replaced together")
        }
        if !people.isEmpty { try people.add(to: &body) }
        try words.add(to: &body, title: nil, isKeyed: false)
        guard body != [:] else {
            throw CommandFailure(.misused, "nothing is to be changed: give --title, --at, --audience or another option")
        }
        return try server.connect().change("PATCH", AdminClient.address(of: "broadcast", id), body)
    }

    func show(_ answer: JSONValue) {
        let people = (answer["size"]?.integerValue ?? 0).counted("person", "people")
        Terminal.line("broadcast \(id) waits until \(answer.shown("at")), for \(answer.shown("audience")): \(people)")
    }
}
