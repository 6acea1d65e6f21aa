package import Authentication
package import ClientProtocol
import Model
import Triggers
import Wire

/// A route of the admin API: one value says where it is, which scope opens it, what the audit calls it, what
/// it takes and answers, and what it does.
///
/// The router is made from the table of these values (``RouteTable``): no other path is served, and a route cannot be
/// written without its scope.
///
/// An object, so that looking for one copies nothing.
///
/// - Confinement: any; ``work`` on the loop
final class AdminRoute: Sendable {
    /// A part of a path.
    ///
    /// - Confinement: any
    enum Part: Sendable, Hashable {
        case literal(String)
        /// One segment, whatever it is: `{name}`.
        case any
        /// All segments from here on, at least one: `{path…}`.
        case rest
    }

    /// `GET` is also `HEAD`, unless it ``isStream``.
    let method: String
    /// The path after `/v1/`, as documentation shows it: `users/{user}/kick`.
    let template: String
    /// The scope that a token must have.
    let scope: Scope
    /// The errands of nodes to which it is open, too.
    let errands: Set<NodeErrand>
    /// Its name in the audit and in `admin_actions_total`.
    let action: String
    /// The members of the body, or of the query, that the audit keeps: short values that say what is asked for.
    let details: [String]
    /// Whether the answer is a stream or for a program, so that there is no `HEAD`.
    let isStream: Bool
    let bodyBytesMax: Int
    /// Its description in the OpenAPI document.
    let form: RouteForm
    /// The work for a request without a token, or with one that lacks the scope; nil refuses these.
    let open: (@Sendable (AdminCall, Claims?) throws(Refusal) -> Route)?
    let work: @Sendable (AdminCall) throws(Refusal) -> Route
    let parts: [Part]

    init(
        _ method: String, _ template: String, _ scope: Scope, _ action: String, errands: Set<NodeErrand> = [],
        details: [String] = [], isStream: Bool = false, bodyBytesMax: Int = Limits.plainBodyBytesMax, form: RouteForm,
        open: (@Sendable (AdminCall, Claims?) throws(Refusal) -> Route)? = nil,
        _ work: @escaping @Sendable (AdminCall) throws(Refusal) -> Route
    ) {
        self.method = method
        self.template = template
        self.scope = scope
        self.errands = errands
        self.action = action
        self.details = details
        self.isStream = isStream
        self.bodyBytesMax = bodyBytesMax
        self.form = form
        self.open = open
        self.work = work
        parts = template.split(separator: "/").map { part in
            part.hasPrefix("{") ? (part.hasSuffix("…}") ? .rest : .any) : .literal(String(part))
        }
    }

    /// Whether each request leaves a row in the audit, however it ends. A read leaves one where it shows what people wrote,
    /// see ``Route/content(_:_:)``.
    var isAudited: Bool { method != "GET" }

    /// Whether it is open to the bearer of a token.
    func isOpen(to claims: Claims) -> Bool { claims.opens(scope) || claims.errand.map(errands.contains) == true }

    /// Whether it answers a method.
    func answers(_ method: String) -> Bool { method == self.method || method == "HEAD" && methods.contains("HEAD") }

    /// The methods that the route answers.
    var methods: [String] { method == "GET" && !isStream ? ["GET", "HEAD"] : [method] }

    /// The values of the template's names; nil when the path is another.
    ///
    /// - Parameter segments: of the path after `/v1`.
    func values(in segments: ArraySlice<String>) -> [String]? {
        var values: [String] = []
        var place = segments.startIndex
        for part in parts {
            guard place < segments.endIndex else { return nil }
            switch part {
            case .literal(let text): guard segments[place] == text else { return nil }
            case .any: values.append(UserID.text(ofSegment: segments[place]))
            case .rest:
                values.append(segments[place...].joined(separator: "/"))
                return values
            }
            place += 1
        }
        return place == segments.endIndex ? values : nil
    }
}

/// A request to a route of the admin API.
///
/// - Confinement: loop
struct AdminCall {
    let request: HTTPCall
    let door: any RequestDoor
    /// The values of the names in the route's template.
    let values: [String]

    var method: String { request.head.method }

    /// The value of the template's first name.
    var value: String { values.first ?? "" }

    func query(_ name: String) -> String? { request.head.target.queryValue(name) }

    /// An item of the query that has a form.
    ///
    /// - Throws: `Refusal` naming it when it is of another.
    func query(_ name: String, _ form: String, _ hasForm: (String) -> Bool) throws(Refusal) -> String? {
        guard let text = query(name) else { return nil }
        guard hasForm(text) else { throw Refusal.badRequest(field: name, "must be \(form)") }
        return text
    }

    /// The name of a trigger in the query.
    ///
    /// - Throws: `Refusal` naming the item.
    func trigger() throws(Refusal) -> String? {
        try query("trigger", "the name of a trigger: \(TriggerDefinition.nameForm)", TriggerDefinition.isName)
    }

    /// The value of the template's first name as a user's.
    ///
    /// - Throws: `Refusal` (`bad-request`).
    func user() throws(Refusal) -> UserID {
        guard let user = UserID(admitted: value) else {
            throw Refusal.badRequest(field: "user", "must be \(UserID.form)")
        }
        return user
    }

    /// The value of the template's first name as a number.
    ///
    /// - Throws: `Refusal` (`not-found`).
    func number(of what: String, field: String? = nil) throws(Refusal) -> Int64 {
        guard let number = Int64(value), number > 0 else {
            throw Refusal(.notFound, "there is no \(what) \(value)", field: field)
        }
        return number
    }
}

extension Refusal {
    /// The token does not open the route.
    package static func lacking(_ scope: Scope) -> Refusal {
        let word = scope.rawValue
        let make = scope == .admin ? "--admin" : scope == .metrics ? "--metrics" : "--scope \(word)"
        return Refusal(
            .forbidden, "the token lacks the scope \(word); make one with: watchwise token NAME \(make)")
    }
}
