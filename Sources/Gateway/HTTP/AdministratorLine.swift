import Authentication
import Model
import Telemetry
import Wire

/// Which requests leave a line in the log with the administrator's name: those that notify people, change what is done
/// for everybody, end somebody's sessions, or concern somebody's devices. Documents do not: programs write thousands of
/// them.
///
/// - Confinement: any
enum AdministratorLine {
    private static let parts: Set<String> = [
        "broadcasts", "publish", "triggers", "rules", "feeds", "dead", "webhooks", "push", "revocations", "users",
    ]

    /// Whether a request that was done leaves one.
    static func isLeft(by head: HTTPRequestHead) -> Bool {
        guard head.method != "GET", head.method != "HEAD", !head.path.hasPrefix("/v1/documents") else { return false }
        let segments = head.pathSegments
        return segments.count > 1 && segments[0] == "v1" && parts.contains(segments[1])
    }

    /// Logs the administrator of a change, after the change.
    ///
    /// - Parameters:
    ///   - status: of the answer.
    ///   - client: the address that the request comes from.
    static func leave(_ request: HTTPCall?, _ status: Int, from client: IPAddress, at door: any RequestDoor) {
        let log = door.settings.log
        guard (200..<300).contains(status), log.tellsInfo, let request, isLeft(by: request.head),
            let administrator = request.administrator ?? (try? request.claims(at: door))?.subject
        else { return }
        log.info(
            "an administrator made a change",
            [
                "administrator": administrator.text,
                "request": "\(request.head.method) \(request.head.path.prefix(200))",
                "client": "\(client)",
            ])
    }
}
