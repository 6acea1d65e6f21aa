import Authentication
import Model
import Telemetry
import Wire

/// Which requests leave a line in the log with the administrator's name: those that tell many people something, change
/// what is done for everybody, or put somebody out. Documents do not: programs write thousands of them.
///
/// - Confinement: any
enum AdministratorLine {
    private static let parts: Set<String> = [
        "broadcasts", "publish", "triggers", "rules", "feeds", "dead", "webhooks", "revocations", "users",
    ]

    /// Whether a request that was done leaves one.
    static func isLeft(by head: HTTPRequestHead) -> Bool {
        guard head.method != "GET", head.method != "HEAD", !head.path.hasPrefix("/v1/documents") else { return false }
        let segments = head.pathSegments
        return segments.count > 1 && segments[0] == "v1" && parts.contains(segments[1])
    }
}

extension HTTPConversation {
    /// Says who has done what, once it is done.
    func noteAdministrator(_ status: Int) {
        guard (200..<300).contains(status), server.settings.log.tellsInfo,
            let request, AdministratorLine.isLeft(by: request.head),
            let administrator = request.administrator ?? (try? request.claims(at: server))?.subject
        else { return }
        server.settings.log.info(
            "an administrator made a change",
            [
                "administrator": administrator.text,
                "request": "\(request.head.method) \(request.head.path.prefix(200))",
                "client": "\(connection.client)",
            ])
    }
}
