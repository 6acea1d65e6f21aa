import Model

/// How many requests to one origin or platform may be under way.
///
/// - Confinement: any
package struct PushWindow: Sendable, Hashable {
    /// How it grows.
    ///
    /// - Confinement: any
    package enum Growth: Sendable, Hashable {
        /// A push service of Web Push: four. Where it speaks HTTP/2, twice as many after each answered page, up to 100,
        /// because most browsers share a few services.
        case steps
        /// APNs and FCM: one until the first answer, then 100. APNs allows no more until it has seen a good token.
        case atOnce
    }

    private let growth: Growth
    /// The most requests that may be under way.
    package private(set) var size: Int
    package private(set) var underWay = 0
    /// The answers since the size last changed.
    private var answered = 0

    package init(_ growth: Growth) {
        self.growth = growth
        size = growth == .steps ? PushLimits.requestsPerOriginFirst : 1
    }

    /// How many more requests may begin.
    package var free: Int { max(0, size - underWay) }

    /// Notes that a request begins.
    package mutating func begin() { underWay += 1 }

    /// Notes that a request was not sent after all.
    package mutating func giveBack() { underWay = max(0, underWay - 1) }

    /// Notes the end of a request.
    ///
    /// - Parameters:
    ///   - isFailure: see ``PushVerdict/isFailure``; then the service gets one request at a time, until it answers.
    ///   - isHTTP2: whether the answer came over HTTP/2.
    package mutating func end(isFailure: Bool, isHTTP2: Bool) {
        giveBack()
        if isFailure {
            (size, answered) = (1, 0)
            return
        }
        switch growth {
        case .atOnce: size = PushLimits.requestsPerConnectionMax
        case .steps where !isHTTP2: size = PushLimits.requestsPerOriginFirst
        case .steps:
            answered += 1
            guard answered >= size else { return }
            (size, answered) = (min(2 * size, PushLimits.requestsPerConnectionMax), 0)
        }
    }
}
