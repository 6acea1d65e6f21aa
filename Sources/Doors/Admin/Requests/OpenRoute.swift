import ClientProtocol
import Wire

/// A route that asks for no scope: one value says where it is, whose token it asks for, what it answers, and what it does.
///
/// - Confinement: any; ``work`` on the loop
struct OpenRoute: Sendable {
    /// - Confinement: any
    enum Bearer {
        case nobody, user, userOrNobody
    }

    /// The method that the OpenAPI document names.
    let method: String
    let path: String
    /// Its name in the document.
    let action: String
    let bearer: Bearer
    /// Its description in the document; nil where the document does not have it.
    let form: RouteForm?
    /// Whether a parameter that the form does not have is refused. Files, pages for probes and the handshake take any, since
    /// proxies and pages add their own.
    let hasOwnQueryAlone: Bool
    /// The methods that it answers; empty where the work looks at the method itself.
    private let methods: [String]
    private let segments: [String]
    private let work: @Sendable (HTTPCall, any RequestDoor) throws(Refusal) -> Route?

    /// - Parameters:
    ///   - path: whole; a segment `{name}` is any.
    ///   - methods: nil for `GET` and `HEAD`.
    ///   - work: nil where this server does not serve the path.
    init(
        _ method: String, _ path: String, _ action: String, _ bearer: Bearer = .nobody,
        methods: [String]? = nil, hasOwnQueryAlone: Bool = false, form: RouteForm?,
        _ work: @escaping @Sendable (HTTPCall, any RequestDoor) throws(Refusal) -> Route?
    ) {
        self.method = method
        self.path = path
        self.action = action
        self.bearer = bearer
        self.methods = methods ?? ["GET", "HEAD"]
        self.hasOwnQueryAlone = hasOwnQueryAlone
        self.form = form
        self.work = work
        segments = path.split(separator: "/").map { $0.hasPrefix("{") ? "" : String($0) }
    }

    /// Whether the route is at the path of these segments.
    func isAt(_ segments: [String]) -> Bool {
        segments.count == self.segments.count
            && zip(self.segments, segments).allSatisfy { own, asked in own.isEmpty || own == asked }
    }

    /// - Returns: nil when this server does not serve the path.
    func route(_ call: HTTPCall, _ door: any RequestDoor) throws(Refusal) -> Route? {
        guard methods.isEmpty || methods.contains(call.head.method) else {
            let allow = methods.joined(separator: ", ")
            return .refused(Problem(status: 405, detail: "use \(method) here", allow: allow))
        }
        guard hasOwnQueryAlone else { return try work(call, door) }
        // A request without its token is asked for that first.
        let hasToken = call.head.headers["Authorization"] != nil
        if hasToken { try call.checkQuery(form?.query ?? []) }
        let route = try work(call, door)
        if !hasToken { try call.checkQuery(form?.query ?? []) }
        return route
    }
}
