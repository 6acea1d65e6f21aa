import ArgumentParser
import Console
import JSON

/// `watchwise push`
struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "List the devices that are pushed and the pushes, test them, show the key of Web Push.",
        discussion: """
            EXAMPLES
              watchwise push devices
              watchwise push devices alice
              watchwise push devices alice --remove 12
              watchwise push test alice 'Does this arrive?'
              watchwise push jobs --user alice
              watchwise push key
            """,
        subcommands: [PushDevices.self, PushTest.self, PushJobs.self, PushKey.self],
        defaultSubcommand: PushDevices.self
    )
}

/// `watchwise push devices`
struct PushDevices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Devices that registered for pushes, newest first; or remove one.",
        discussion: """
            It never shows endpoints, tokens or keys. A removed device gets no more pushes until its app registers it again.

            EXAMPLES
              watchwise push devices alice
              watchwise push devices --limit 500 --json
              watchwise push devices --remove 12
            """)

    @Argument(help: .value("user", "Only those of this user."))
    var user: String?
    @Option(help: .value("id", "Remove the device with this number, as the list shows it."))
    var remove: Int64?
    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        let query = user.map { [("user", $0)] } ?? []
        guard let remove else {
            let devices = try client.pages(of: "push/devices", "devices", query: query, limit: limit)
            return devices.show(
                asJSON: server.json, none: user.map { "\($0) has no device that is pushed." } ?? "No device is pushed.",
                .right("ID"), .left("USER"), .left("DEVICE"), .left("PLATFORM"), .left("REGISTERED", "at"),
                .left("USED"), .left("LAST PUSH", "lastPush"), .left("PRIVACY"), .right("FAILURES"),
                .left("PROBLEM", cutTo: 60))
        }
        if let user {
            let owned = try client.ask("GET", "push/devices", query: query)["devices"]?.arrayValue ?? []
            guard owned.contains(where: { $0["id"] == .string(String(remove)) }) else {
                throw CommandFailure(.failed, "\(user) has no device \(remove)")
            }
        }
        let answer = try client.ask("DELETE", "push/devices/\(remove)")
        Terminal.line(server.json ? answer.text : "device \(remove) is removed")
    }
}
