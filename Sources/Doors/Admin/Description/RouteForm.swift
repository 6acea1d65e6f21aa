import ClientProtocol
import JSON
import Model

/// The description of a route for the OpenAPI document: its parameters, its body and its answers. The route itself says
/// its path, its method, its scope and its name.
///
/// - Confinement: any
struct RouteForm: Sendable {
    /// The body of a request.
    ///
    /// - Confinement: any
    enum Body: Sendable {
        case none
        case json(ValueForm)
        /// A JSON object that may be left out.
        case maybe([ValueForm.Member])
        case text

        /// A JSON object of these members.
        static func object(_ members: [ValueForm.Member], isOpen: Bool = false) -> Body {
            .json(.object(members, isOpen: isOpen))
        }
    }

    /// The body of an answer.
    ///
    /// - Confinement: any
    enum Content: Sendable {
        case json(ValueForm)
        /// Of this type, or of a second one that the client may prefer.
        case other(String, or: String? = nil)
        case none
    }

    let summary: String
    var query: [ValueForm.Member] = []
    /// Fields of the head besides those that many routes have.
    var head: [ValueForm.Member] = []
    var body = Body.none
    var status = 200
    let answer: Content
    /// The members of an answer that has another status.
    var others: [Int: [ValueForm.Member]] = [:]
    /// Whether `If-Match` and `If-None-Match` guard the write.
    var isGuarded = false
    /// Whether the answer has an `ETag`.
    var hasVersion = false
    /// The operation that the answer's id leads to, and the member of the answer and the name in the path.
    var links: [Link] = []

    /// - Confinement: any
    struct Link: Sendable {
        let action: String
        let parameter: String
        let member: String
    }

    init(
        _ summary: String, query: [ValueForm.Member] = [], head: [ValueForm.Member] = [], body: Body = .none,
        status: Int = 200, others: [Int: [ValueForm.Member]] = [:], isGuarded: Bool = false, hasVersion: Bool = false,
        links: [Link] = [], _ answer: Content
    ) {
        self.summary = summary
        self.query = query
        self.head = head
        self.body = body
        self.status = status
        self.others = others
        self.answer = answer
        self.isGuarded = isGuarded
        self.hasVersion = hasVersion
        self.links = links
    }
}

extension RouteForm.Content: ExpressibleByArrayLiteral {
    init(arrayLiteral members: ValueForm.Member...) { self = .members(members) }

    /// An object of these members alone.
    static func members(_ members: [ValueForm.Member]) -> RouteForm.Content { .json(.object(members)) }
}

extension ValueForm {
    /// The path of a document whose id has one part.
    static let plainPath = text(
        3...1024,
        pattern: "^[A-Za-z0-9_.@:-]{1,64}/[A-Za-z0-9_.@:-]{1,64}(/[A-Za-z0-9_.@:-]{1,64}/[A-Za-z0-9_.@:-]{1,64}){0,3}$")
}
