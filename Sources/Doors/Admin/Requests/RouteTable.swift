package import Authentication
package import ClientProtocol
package import Execution
import JSON
package import Model
package import Quotas
package import Store
import Wire

/// All routes: what is in neither list is not served, but for the pages of an application.
///
/// - Confinement: any
enum RouteTable {
    /// The admin API.
    static let all: [AdminRoute] =
        DocumentRoutes.all + TriggerRoutes.all + BroadcastRoutes.all + FeedRoutes.all + WebhookRoutes.all
        + PushRoutes.all + PeopleRoutes.all + RoomRoutes.all + ModerationRoutes.all + ServerRoutes.all
        + ClusterRoutes.all

    /// Those that ask for no scope.
    static let open: [OpenRoute] =
        SessionRoutes.all + [PushRoutes.key] + DescriptionRoutes.all { OpenAPI.bytes } + HealthRoutes.all
        + [StartPage.route]

    /// The same by the first part of their paths, which is never a name.
    private static let byPart = Dictionary(grouping: all) { route in
        if case .literal(let text)? = route.parts.first { text } else { "" }
    }

    /// The route of a request, with the values of its names; nil when there is none.
    static func find(_ head: HTTPRequestHead) -> (route: AdminRoute, values: [String])? {
        let segments = head.pathSegments.dropFirst()
        guard let first = segments.first, let routes = byPart[first] else { return nil }
        for route in routes where route.answers(head.method) {
            if let values = route.values(in: segments) { return (route, values) }
        }
        return nil
    }

    /// The methods that are answered at the path of a request, for `Allow`; nil when there is nothing.
    static func allow(_ head: HTTPRequestHead) -> String? {
        let segments = head.pathSegments.dropFirst()
        guard let first = segments.first, let routes = byPart[first] else { return nil }
        let methods = Set(routes.filter { $0.values(in: segments) != nil }.flatMap(\.methods))
        return methods.isEmpty ? nil : CrossOrigin.methods.filter(methods.contains).joined(separator: ", ")
    }
}

/// The work of a request, and the row that the audit gets of it.
///
/// - Confinement: loop
package struct RoutedTask {
    package let route: Route
    /// The administrator that asks; the server where nobody shows a token.
    package let actor: Actor
    /// Nil where the audit gets none.
    package let note: AuditNote?

    package init(_ route: Route, by actor: Actor = .server, _ note: AuditNote? = nil) {
        self.route = route
        self.actor = actor
        self.note = note
    }
}

/// The admin API under `/v1`, by the table of its routes.
///
/// - Confinement: loop
package struct AdminAPI {
    private let call: HTTPCall
    private let door: any RequestDoor

    package init(call: HTTPCall, door: any RequestDoor) {
        self.call = call
        self.door = door
    }

    /// - Throws: `Refusal`, after which ``note(ofRefused:)`` says what the audit gets.
    func task() throws(Refusal) -> RoutedTask {
        guard let (route, values) = RouteTable.find(call.head) else {
            guard let allow = RouteTable.allow(call.head) else {
                throw Refusal(.notFound, "there is nothing at \(call.head.path)")
            }
            _ = try call.claims(at: door)
            let detail = "\(call.head.method) is not allowed here; use \(allow)"
            return RoutedTask(.refused(Problem(status: 405, detail: detail, allow: allow)))
        }
        let claims = call.bearerToken == nil ? nil : try call.claims(at: door, openTo: route.errands)
        guard let claims, route.isOpen(to: claims) else {
            let stranger = AdminCall(request: call, door: door, values: values)
            if let open = route.open {
                try call.checkQuery(route.form.query)
                return RoutedTask(try open(stranger, claims))
            }
            guard claims != nil else {
                throw Refusal(.unauthenticated, "an admin token is required in the Authorization header")
            }
            throw Refusal.lacking(route.scope)
        }
        try call.checkQuery(route.form.query)
        // Before the work, which may begin something. Where nothing is written, a key of another form is refused all the same.
        if route.isAudited { _ = try call.key() }
        let work = try route.work(AdminCall(request: call, door: door, values: values))
        var isContent = false
        switch work {
        case .content, .backup, .export:
            // Of a part of what the scope opens.
            isContent = true
            if case .content = work, route.scope == .read, !claims.isAdmin { throw Refusal.lacking(.admin) }
        case .now, .refused, .write, .read, .openRead, .command, .events, .feedTrial, .pushTrial, .effect, .upgrade:
            break
        }
        let note = route.isAudited || isContent ? note(of: route, values, by: claims).note : nil
        return RoutedTask(work, by: .administrator(claims.subject), note)
    }

    /// The row of a request that was refused; nil without a good token, and where refusals leave none.
    package func noteOfRefused() -> BearersNote? {
        guard let (route, values) = RouteTable.find(call.head), route.isAudited,
            let claims = try? call.claims(at: door, openTo: route.errands, isAgain: true)
        else { return nil }
        return note(of: route, values, by: claims)
    }

    /// The row of any request, as another node asks for it.
    package func noteOfAny() throws(Refusal) -> BearersNote? {
        guard let (route, values) = RouteTable.find(call.head) else { return nil }
        return note(of: route, values, by: try call.claims(at: door))
    }

    private func note(of route: AdminRoute, _ values: [String], by claims: Claims) -> BearersNote {
        let detail = detail(of: route)
        let note = AuditNote(
            claims.kind, actor: claims.actor, tokenID: claims.tokenID,
            address: call.client, request: call.id,
            action: route.action, target: route.target(values),
            detail: detail.members.isEmpty ? nil : JSONValue.object(detail).text)
        return BearersNote(note: note, detail: detail, claims: claims)
    }

    /// The short values of the body, or of the query, that the route names.
    private func detail(of route: AdminRoute) -> JSONObject {
        var detail = JSONObject()
        guard !route.details.isEmpty else { return detail }
        let body = call.body.isEmpty ? nil : try? call.object()
        for name in route.details {
            let value = body?[name] ?? call.head.target.queryValue(name).map { .string($0) }
            switch (name, value) {
            case ("webhook", _): detail[name] = value?.short?.server
            // A list stays a list, so that an erasure finds the people in it.
            case ("audiences", .array(let items)?), ("except", .array(let items)?):
                detail[name] = .array(items.prefix(20).compactMap(\.short))
            case ("users", .array(let items)?): detail[name] = .integer(Int64(items.count))
            default: detail[name] = value?.short
            }
        }
        return detail
    }
}

/// The row of a request, and whose request it was.
///
/// - Confinement: any
package struct BearersNote {
    package let note: AuditNote
    /// The detail of the note before it was written.
    fileprivate let detail: JSONObject
    package let claims: Claims

    /// The row as it may be written: one of a user without a scope of operators comes once a minute, and counts the
    /// refusals that were left out before it.
    ///
    /// - Parameters:
    ///   - accounts: of users, of whom each pays for the own rows.
    ///   - leftOut: refusals that another node has left out.
    ///   - now: the loop's clock.
    /// - Returns: nil when the refusal gets no row.
    package func bounded(
        by refusals: NotedRefusals, _ accounts: UserAccounts<UserID>, besides leftOut: Int = 0, at now: Int64
    ) -> RefusalsNote? {
        guard !claims.isOfOperator else { return RefusalsNote(note) }
        guard let leftOut = refusals.take(claims.subject, besides: leftOut, at: now) else { return nil }
        return RefusalsNote(
            note.counting(leftOut: leftOut, besides: detail), leftOut: leftOut,
            paidBy: accounts.find(claims.subject))
    }
}

/// The row of a request that was refused.
///
/// - Confinement: any
package struct RefusalsNote {
    package let note: AuditNote
    /// Refusals without a row, which the row counts.
    package let leftOut: Int
    /// The account that pays for the row; nil where an operator was refused.
    package let account: UserAccount?

    package init(_ note: AuditNote, leftOut: Int = 0, paidBy account: UserAccount? = nil) {
        self.note = note
        self.leftOut = leftOut
        self.account = account
    }

    /// Bytes of the order that writes the row: what exceeds an order's own is paid for.
    package var orderBytes: Int {
        [note.actor, note.tokenID, note.address, note.request, note.action, note.target, note.detail]
            .reduce(Limits.orderBytes) { $0 + ($1?.utf8.count ?? 0) }
    }
}

extension AuditNote {
    /// The row with the number of refusals that got none.
    fileprivate func counting(leftOut: Int, besides detail: JSONObject) -> AuditNote {
        guard leftOut > 0 else { return self }
        var counted = detail
        counted["leftOut"] = .integer(Int64(leftOut))
        return with(detail: JSONValue.object(counted).text)
    }
}

extension Claims {
    /// The kind of the bearer.
    fileprivate var kind: ActorKind {
        if errand != nil { return .server }
        guard isOfOperator else { return .user }
        return commandLine == nil ? .operator : .commandLine
    }

    /// The name of the bearer.
    fileprivate var actor: String { kind == .commandLine ? commandLine ?? subject.text : subject.text }
}

extension AdminRoute {
    /// How much the audit keeps of the path of a thing.
    static let targetCharactersMax = 1000

    /// The path up to its last name: of the thing that the request is about.
    fileprivate func target(_ values: [String]) -> String {
        let last = parts.lastIndex { if case .literal = $0 { false } else { true } } ?? parts.count - 1
        var (rest, texts) = (values[...], [String]())
        for part in parts[...last] {
            if case .literal(let text) = part {
                texts.append(text)
            } else {
                texts += rest.popFirst().map { [$0] } ?? []
            }
        }
        return String(texts.joined(separator: "/").prefix(Self.targetCharactersMax))
    }
}

extension JSONValue {
    /// The value where it is short: a number, a word, a time, or a few of these.
    fileprivate var short: JSONValue? {
        switch self {
        case .bool, .integer, .number: self
        case .string(let text):
            .string(
                text.unicodeScalars.count <= 200
                    ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(199))) + "…")
        case .array(let items): JSONValue.string(items.compactMap(\.stringValue).joined(separator: ", ")).short
        case .null, .object: nil
        }
    }

    /// An address without its path, which may be a secret.
    fileprivate var server: JSONValue? {
        guard let parts = stringValue?.split(separator: "/", maxSplits: 2), parts.count > 1 else { return nil }
        return .string("\(parts[0])//\(parts[1].prefix { !"?#".contains($0) })")
    }
}
