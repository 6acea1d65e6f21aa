import ClientProtocol
import Configuration
import Model
import Wire

/// The ways of a user to commands and events: `/v1/ws`, `/v1/events`, `/v1/commands`; and `/v1/echo` for tests of connections.
///
/// - Confinement: any
enum SessionRoutes {
    private static let posted = CommandTable.types.filter { !$0.needsSession }

    static let all = [
        OpenRoute(
            "GET", "/v1/ws", "session.open", methods: [],
            form: RouteForm(
                "Opens a WebSocket of the subprotocol watchwise.v1; 426 without an upgrade.", status: 101, .none)
        ) { call, door throws(Refusal) in
            try call.checkOrigin(at: door)
            if let refusal = door.sessionRefusal { throw refusal }
            return .upgrade(.oneOf(["watchwise.v1"]), isEcho: false)
        },
        OpenRoute("GET", "/v1/echo", "echo.open", methods: [], form: nil) { _, door in
            door.settings.configuration.hasEcho ? .upgrade(.any, isEcho: true) : nil
        },
        OpenRoute(
            "GET", "/v1/events", "events.get", .userOrNobody, methods: ["GET"], hasOwnQueryAlone: true,
            form: RouteForm(
                "The events of a user, as Server-Sent Events. With inbox=off it needs no token, and has what it watches alone.",
                query: [
                    .may("since", .eventID, "The id of the last event; the events after it follow."),
                    .may("device", .visible(FieldLimits.deviceBytesMax)), .may("locale", .languageTag),
                    .may("watch", .watchedPaths, "Paths of documents and collections, with commas between."),
                    .may("inbox", .words(["on", "off"])),
                ], head: [.may("Last-Event-ID", .eventID)], .other("text/event-stream"))
        ) { call, door throws(Refusal) in
            try call.checkOrigin(at: door)
            let events = try EventsRequest(call, at: door)
            if events.claims == nil, let misdirected = call.misdirection(at: door) { return .refused(misdirected) }
            if let refusal = door.sessionRefusal { throw refusal }
            return .events(events)
        },
        OpenRoute(
            "POST", "/v1/commands", "command.post", .user, methods: ["POST"], hasOwnQueryAlone: true,
            form: RouteForm(
                "Takes one command, and answers with its reply.",
                body: .json(.either(posted.map { AsyncAPI.command($0) })),
                [
                    .need("ok", .either(posted.map { $0.form.answer })), .may("re", .requestID), AsyncAPI.warnings,
                ])
        ) { call, door throws(Refusal) in .command(try PostedCommand(call, at: door)) },
    ]
}
