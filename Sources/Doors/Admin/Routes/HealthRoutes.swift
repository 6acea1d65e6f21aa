import Authentication
import ClientProtocol
import Configuration
import Telemetry
import Wire

/// How the server does, for programs that watch it: `/healthz`, `/readyz`, `/metrics`.
///
/// - Confinement: any
enum HealthRoutes {
    static let all = [
        OpenRoute(
            "GET", "/healthz", "health.get", form: RouteForm("Whether the process answers.", .other("text/plain"))
        ) { _, _ in .now(.text("ok\n")) },
        OpenRoute(
            "GET", "/readyz", "ready.get",
            form: RouteForm(
                "Whether the server takes writes; 503 when it does not.",
                query: [.may("for", .words(["writes"]), "Also whether this node can hand over a write.")],
                .other("text/plain"))
        ) { call, door throws(Refusal) in
            if let purpose = call.head.target.queryValue("for"), purpose != "writes" {
                throw Refusal.badRequest(field: "for", "must be writes, or absent")
            }
            return .now(readyPage(call, door))
        },
        OpenRoute(
            "GET", "/metrics", "metrics.get",
            form: RouteForm(
                "The figures for Prometheus: for programs on this machine, and for tokens with metrics or admin:read.",
                .other("text/plain"))
        ) { call, door throws(Refusal) in
            if let refused = try metricsRefusal(call, door) { return .refused(refused) }
            return .now(MetricsPage.response(at: door))
        },
    ]

    /// Whether the server is ready; the reasons only for those that may see the figures.
    private static func readyPage(_ call: HTTPCall, _ door: any RequestDoor) -> HTTPResponse {
        let readiness = readiness(at: door, forWrites: call.head.target.queryValue("for") == "writes")
        guard maySeeFigures(call, door) else {
            return .text(readiness.problem == nil ? "ready\n" : "not ready\n", status: readiness.status)
        }
        let keyless = door.keylessIssuers.map { "no keys of \($0) yet: its tokens cannot be verified\n" }
        return .text(readiness.text + keyless.joined(), status: readiness.status)
    }

    /// Whether the server takes writes, and why not.
    ///
    /// - Parameter forWrites: Also whether this node can hand over a write.
    static func readiness(at door: any RequestDoor, forWrites: Bool) -> Readiness {
        Readiness(
            Readiness(of: door.settings.storage, isDraining: door.isDraining || door.settings.standing.isStopNear),
            among: door.settings.standing.now,
            lagMilliseconds: door.settings.configuration.cluster.lagReadyMilliseconds, forWrites: forWrites)
    }

    private static func maySeeFigures(_ call: HTTPCall, _ door: any RequestDoor) -> Bool {
        do throws(Refusal) {
            if case nil = try metricsRefusal(call, door) { return true }
            return false
        } catch {
            return false
        }
    }

    /// The answer to a client that may not see the figures; nil for one that may, by the setting `metrics`, by its token, or
    /// because the door is for the figures alone.
    ///
    /// - Throws: `Refusal` (`unauthenticated`, `forbidden`).
    private static func metricsRefusal(_ call: HTTPCall, _ door: any RequestDoor) throws(Refusal) -> Problem? {
        let setting = door.settings.configuration.metricsDoor
        if call.isAtFigures || setting == .open { return nil }
        if call.bearerToken == nil {
            if let misdirected = call.misdirection(at: door) { return misdirected }
            if setting == .local, call.isOfThisMachine { return nil }
        }
        guard try call.claims(at: door).opens(.metrics) else { throw Refusal.lacking(.metrics) }
        return nil
    }
}
