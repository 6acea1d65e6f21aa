import Digits

/// A request to a source, as values.
///
/// - Confinement: any
package struct FeedRequest: Sendable, Hashable {
    /// With the key, if the source wants it there; only to be sent, never shown.
    package let url: String
    /// The same without the key, for people and logs.
    package let shownURL: String
    /// Header fields.
    package let fields: [(name: String, value: String)]

    package static func == (left: FeedRequest, right: FeedRequest) -> Bool {
        left.url == right.url && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

/// The values by which a source recognizes an answer that we already have.
///
/// - Confinement: any
package struct FeedValidators: Sendable, Hashable {
    /// `ETag` and `Last-Modified`, unchanged.
    package var entityTag: String?
    package var lastModified: String?

    /// - Parameters: The values of the answer; those that cannot be sent back are dropped.
    package init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag.flatMap(Self.sendable)
        self.lastModified = lastModified.flatMap(Self.sendable)
    }

    private static func sendable(_ text: String) -> String? {
        (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) } ? text : nil
    }
}

extension FeedDefinition {
    /// The request for a target.
    ///
    /// - Parameters:
    ///   - key: The key of the source. For TMDB, the short key of version 3, or a long token, which is sent in a
    ///     header.
    ///   - validators: The validators of the answer that is known already.
    package func request(for target: FeedTarget, key: String?, validators: FeedValidators) -> FeedRequest {
        var query: [(String, String)] = []
        let path: String
        switch target {
        case .channel: path = ""
        case .person(let id):
            path = "/person/\(id)"
            query = [("append_to_response", "combined_credits")]
        case .series(let id): path = "/tv/\(id)"
        case .stations(let page):
            path = "/station/findAll"
            // The older interface has no pages and ignores these parameters.
            query = isPaged ? [("page", String(page)), ("size", "100")] : []
        case .index(let id): path = "/aqindex/getIndex/\(id)"
        case .sensors(let id): path = "/station/sensors/\(id)"
        case .values(_, let sensor, _): path = "/data/getData/\(sensor)"
        }
        if kind == .tmdb, let language { query.append(("language", language)) }
        let accepted =
            kind == .rss
            ? "application/atom+xml, application/rss+xml, application/xml;q=0.9, */*;q=0.5" : "application/json"
        var fields = [("Accept", accepted)]
        if let tag = validators.entityTag { fields.append(("If-None-Match", tag)) }
        if let date = validators.lastModified { fields.append(("If-Modified-Since", date)) }
        let shown = url + path + Self.text(of: query)
        // Tokens are sent in a header; TMDB accepts the short key only in the address.
        if let key, kind == .tmdb, !Self.isToken(key) {
            query.insert(("api_key", key), at: 0)
        } else if let key {
            fields.append(("Authorization", "Bearer \(key)"))
        }
        return FeedRequest(url: url + path + Self.text(of: query), shownURL: shown, fields: fields)
    }

    private var isPaged: Bool { url.contains("/v1/") || url.hasSuffix("/v1") }

    /// Short keys are 32 hexadecimal digits.
    private static func isToken(_ key: String) -> Bool { key.utf8.count > 64 || key.contains(".") }

    private static func text(of query: [(String, String)]) -> String {
        let pairs = query.map { "\($0)=\(PercentEncoding.encode($1))" }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
