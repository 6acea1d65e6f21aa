package import Log
package import Model

// The entries of the log that subjects append, each with its publication.
extension WriteTransaction {
    /// Appends an event to the log, for one stream or two.
    ///
    /// - Parameters:
    ///   - event: must have ``nextPosition`` as its `seq`.
    ///   - isFollowed: whether the stream is one that many may follow, rather than an inbox.
    ///   - recountsUnread: whether readers' counts must be counted again after it.
    ///   - payload: what sessions get in place of the event.
    ///   - reach: of an event that lies in further followed streams.
    /// - Returns: the event's position.
    @discardableResult
    package func append(
        _ event: EncodedEvent,
        showing payload: Publication.Payload? = nil,
        to stream: StreamID,
        and second: StreamID? = nil,
        isFollowed: Bool = false,
        recountsUnread: Bool = false,
        reach: PublicationReach? = nil
    ) throws -> Position {
        let position = try appendEntry(to: stream, and: second, body: event.json)
        if isFollowed { try streams.advance(stream, to: position) }
        if let reach { try spread(position, PublicationReach(others: reach.others)) }
        publish(
            Publication(
                position: position,
                name: event.name,
                stream: stream,
                secondStream: second,
                payload: payload ?? .same(event.json),
                unread: recountsUnread ? .recount : .unchanged,
                reach: reach
            )
        )
        return position
    }

    /// Appends an event of a chat to the log, once for all its members, and publishes it to two of them.
    ///
    /// - Parameter number: of the message that the event is, which must be put under it into ``messages``; nil for all
    ///   other events.
    package func append(
        _ event: EncodedEvent,
        chat: Int64,
        number: MessageNumber? = nil,
        to first: StreamID,
        and second: StreamID?
    ) throws -> Position {
        let position = try appendEntry(to: StreamID(chat: chat), number: number, body: event.json)
        publish(
            Publication(
                position: position, name: event.name, stream: first, secondStream: second,
                payload: .same(event.json))
        )
        return position
    }

    /// Appends an event of a room to the log, once for all its members, and publishes it to their sessions.
    ///
    /// - Parameters:
    ///   - author: of the message that the event is, whose number is `number`; both nil for all other events.
    ///   - message: the position of the earlier message that the event changes, which does not exist for `except`.
    @discardableResult
    package func append(
        _ event: EncodedEvent, room chat: Int64, number: MessageNumber? = nil, by author: StreamID? = nil,
        changing message: Position? = nil, except: [StreamID] = []
    ) throws -> Position {
        let stream = StreamID(chat: chat)
        let position = try appendEntry(to: stream, number: number, body: event.json)
        if let message { try rooms.noteChange(at: position, of: message) }
        publish(
            Publication(
                position: position, name: event.name, stream: stream, payload: .same(event.json),
                unread: author.map { .message(of: $0) } ?? .unchanged,
                reach: except.isEmpty ? nil : PublicationReach(others: [], except: except)))
        return position
    }

    /// Appends a notification, whose row must have been written under ``nextPosition``.
    ///
    /// - Parameters:
    ///   - facts: by which sessions decide whether it interrupts their user.
    ///   - reach: of an event that lies in further followed streams.
    @discardableResult
    package func append(
        _ notification: NotificationEntry,
        payload: Publication.Payload,
        isFollowed: Bool,
        facts: NotificationFacts? = nil,
        reach: PublicationReach? = nil
    ) throws -> Position {
        precondition(notification.position == nextPosition, "a notification's number is its position in the log")
        let position = try appendEntry(to: notification.stream, body: nil)
        if isFollowed { try streams.advance(notification.stream, to: position) }
        if let reach { try spread(position, reach) }
        publish(
            Publication(
                position: position,
                name: .notification,
                stream: notification.stream,
                payload: payload,
                unread: isFollowed ? .oneMore : .unchanged,
                broadcast: notification.broadcast,
                notification: facts,
                reach: reach
            )
        )
        return position
    }

    /// Appends the change of a document to the log, for those who watch its collection, or the document itself.
    ///
    /// - Parameters:
    ///   - event: must have ``nextPosition`` as its `seq`.
    ///   - collection: the stream of its collection; nil when nobody ever watched it.
    ///   - own: the stream of the document; nil when nobody ever watched it alone.
    package func append(
        _ event: EncodedEvent,
        of document: Publication.Document,
        collection: StreamID?,
        own: StreamID?
    ) throws -> Position {
        let stream = collection ?? .nobody
        let position = try appendEntry(to: stream, and: own, body: event.json)
        publish(
            Publication(
                position: position,
                name: event.name,
                stream: stream,
                secondStream: own,
                payload: .same(event.json),
                document: document
            )
        )
        return position
    }

    /// Puts an entry into further streams, which many follow.
    private func spread(_ position: Position, _ reach: PublicationReach) throws {
        try entryStreams.insert(position, in: reach.others)
        try entryStreams.insert(position, told: reach.told)
        for stream in reach.others { try streams.advance(stream, to: position) }
    }
}
