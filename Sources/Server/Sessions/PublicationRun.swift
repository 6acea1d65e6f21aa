import Model

/// Publications of one commit that follow each other in one stream and are the same bytes for nearly all who read it:
/// each of their receivers gets them as one chunk.
///
/// - Confinement: any
final class PublicationRun: Sendable {
    /// Beyond this nothing more is joined, in bytes: by so much a reader's queue may pass its bound.
    static let bytesMax = 48 << 10

    /// At least one, in the order of positions.
    let publications: [FramedPublication]
    /// Their frames, one behind the other.
    let frames: [UInt8]
    /// Positions of those that count as one more notification unread.
    let notified: [Position]
    /// Of the first and the last of them.
    let first, last: Position
    /// Whether readers with preferences may get something else.
    let isForPreferences: Bool

    /// What comes between the publications and behind the last one, in its order.
    let between: [Between]

    /// A step that is no event of the run.
    struct Between {
        /// How many of the publications come before it.
        let place: Int
        let step: LoopStep
    }

    /// - Parameter publications: such as ``FramedPublication/sharedFrame`` is there for, at least one.
    init(_ publications: [FramedPublication], between: [Between] = []) {
        self.publications = publications
        self.between = between
        notified = publications.compactMap { $0.publication.unread == .oneMore ? $0.publication.position : nil }
        if publications.count == 1 {
            frames = publications[0].sharedFrame ?? []
        } else {
            var joined: [UInt8] = []
            joined.reserveCapacity(publications.reduce(0) { $0 + ($1.sharedFrame?.count ?? 0) })
            for publication in publications { joined += publication.sharedFrame ?? [] }
            frames = joined
        }
        first = publications[0].publication.position
        last = publications[publications.count - 1].publication.position
        isForPreferences = publications.contains { $0.publication.notification != nil }
    }

    var stream: StreamID { publications[0].publication.stream }
    var secondStream: StreamID? { publications[0].publication.secondStream }
}

extension FramedPublication {
    /// The frame that all readers get but those with preferences; nil when it differs from reader to reader.
    var sharedFrame: [UInt8]? {
        guard case .same(let bytes) = frame, publication.unread != .recount, publication.document == nil,
            publication.notification?.silence == nil, publication.reach == nil
        else { return nil }
        return bytes
    }

    /// Whether whoever gets this gets the other, too.
    func hasReceivers(of other: FramedPublication) -> Bool {
        publication.stream == other.publication.stream && publication.secondStream == other.publication.secondStream
    }
}
