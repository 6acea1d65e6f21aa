import ArgumentParser
import Authentication
import Console
import JSON

/// `watchwise push key`
struct PushKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Show the public key with which browsers subscribe, or replace the key.",
        discussion: """
            The key is in the file vapid-key in the server's folder, so this runs where the server runs. The first start with \
            --push-contact makes it.

            Each subscription of a browser belongs to one key. After --rotate the server keeps the old key for the devices \
            that subscribed with it, until the next rotation; these devices are lost then, unless their app has subscribed \
            again. A running server takes the new key when it is restarted.

            EXAMPLES
              watchwise push key
              watchwise push key --rotate --data /var/lib/watchwise
            """)

    @Flag(help: "Make a new key; the present one is kept for the devices that subscribed with it.")
    var rotate = false
    @Option(help: .value("dir", "The server's folder. (default: watchwise-data)"))
    var data: String?
    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let folder = Surroundings.dataFolder(option: data)
        let path = VAPIDKeys.path(inFolder: folder)
        do throws(ServerSecretError) {
            guard let keys = try VAPIDKeys.load(path: path) else {
                throw .file("there is no \(path): the first start with push-contact makes it; or give --data")
            }
            show(rotate ? try VAPIDKeys.rotate(path: path) : keys)
            if rotate { explain(isOneLost: keys.publicKeys.count > 1) }
        } catch {
            throw CommandFailure(.failed, error.description)
        }
    }

    private func show(_ keys: VAPIDKeys) {
        guard json else { return Terminal.line(keys.publicKey) }
        let before = keys.publicKeys.dropFirst().first
        let answer: JSONValue = ["webpush": .string(keys.publicKey), "before": before.map { .string($0) } ?? .null]
        Terminal.line(answer.text)
    }

    private func explain(isOneLost: Bool) {
        Terminal.plainError(
            "Restart the server, so that browsers subscribe with the new key. Devices that subscribed with the key before are "
                + "still reached, until the next rotation.")
        guard isOneLost else { return }
        Terminal.plainError(
            "The key before that one is gone: devices that subscribed with it get no pushes until they subscribe again."
        )
    }
}
