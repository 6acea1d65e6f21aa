import ClientProtocol
import JSON
import Model
import Session

/// Events and pages on their way into the store: one transaction takes a batch of them, with the cursor.
struct EventBatch {
    /// - Confinement: any
    enum Item {
        case event(JSONValue)
        /// A document as a reply shows it.
        case document(JSONValue)
        /// Everything up to here has come.
        case reached(ResumePoint)
        /// The state that was fetched in place of missed events.
        case replaced([StoreChange], ResumePoint)
        /// A page of a chat.
        case history(chat: String, messages: [JSONObject], Mirror.HistoryPage, asOf: Int64)
        case changes([StoreChange])

        /// Whether it says how far the store is.
        var hasPosition: Bool {
            switch self {
            case .event(let event): event["seq"]?.integerValue != nil
            case .reached, .replaced: true
            case .document, .history, .changes: false
            }
        }
    }

    var items: [Item] = []
    /// The changes of the outbox because of these events.
    var changes: [StoreChange] = []
    /// Entries whose own events are among them: lists show them until the store has the event.
    var settling: [WriteEntry] = []

    /// The most events of one transaction.
    static let eventsMax = 200
}

extension Engine {
    /// The entries that lists lay over the rows: one stays until its own event is in the store.
    var entries: [WriteEntry] {
        batch.settling.isEmpty
            ? outbox.entries : (batch.settling + outbox.entries).sorted { ($0.order ?? .max) < ($1.order ?? .max) }
    }

    /// Adds something for the store. While missed events come, it collects for a moment.
    func push(_ item: EventBatch.Item) {
        batch.items.append(item)
        guard !isHolding, !isStopped else { return }
        if batch.items.count >= EventBatch.eventsMax {
            flush()
        } else {
            // When live, the turn that brought it flushes; this is for what comes by itself.
            batchTimer.setUnlessSet(now + (isLive ? 0 : settings.batchMilliseconds))
        }
    }

    /// An event of this user may settle a write; what the store has to do about it goes with the event.
    func settle(_ event: JSONValue) {
        let key = event["key"]?.stringValue
        let entry = key.flatMap { outbox.entry(of: $0) }
        var changes: [StoreChange] = []
        outbox.feed(into: &changes) { outbox, _ in outbox.receive(event) }
        batch.changes += changes
        if let entry, outbox.entry(of: entry.key) == nil { batch.settling.append(entry) }
    }

    /// Stores everything that has come.
    func flush() {
        batchTimer.set(nil)
        while !isHolding, !batch.items.isEmpty || !batch.changes.isEmpty {
            do {
                try storeBatch()
            } catch {
                owner?.engineFailed(error)
                return
            }
        }
    }

    private func storeBatch() throws {
        let isReplacing = if case .replaced = batch.items.first { true } else { false }
        let count = isReplacing ? batch.items.count : min(batch.items.count, EventBatch.eventsMax)
        let taken = batch
        let items = taken.items.prefix(count)
        let mirror = Mirror(user: settings.user, head: isLive ? 0 : hello?.seq.value ?? 0)
        let before = cursor
        // The transaction may run twice, so that it changes nothing of this engine.
        let stored = try store.write { writer in
            var outcome = StoredBatch(cursor: before)
            for change in taken.changes { try writer.apply(change) }
            for item in items { try outcome.take(item, mirror, epoch: epoch, &writer) }
            if let cursor = outcome.cursor, cursor != before {
                try writer.apply(.note("cursor", cursor.json))
            }
            return outcome
        }
        batch.items.removeFirst(count)
        batch.changes.removeFirst(taken.changes.count)
        outbox.removed(taken.changes)
        batch.settling.removeAll { entry in taken.settling.contains { $0.key == entry.key } }
        if let point = stored.cursor, point != before {
            cursor = point
            input { $0.stored(point, at: $1) }
        }
        if isReplacing { owner?.engineChanged([.everything]) }
        if !taken.settling.isEmpty { owner?.engineChanged([.outbox]) }
        for event in stored.events { owner?.engineReceived(event) }
    }
}

/// The result of one transaction.
private struct StoredBatch {
    var cursor: ResumePoint?
    /// The application hears of them now.
    var events: [JSONValue] = []

    init(cursor: ResumePoint? = nil) { self.cursor = cursor }

    mutating func take(
        _ item: EventBatch.Item, _ mirror: Mirror, epoch: Epoch?, _ writer: inout StoreWriter
    ) throws {
        switch item {
        case .event(let event):
            try mirrored(event, mirror, &writer)
            if let epoch, let seq = event["seq"]?.integerValue { reach(ResumePoint(epoch: epoch, seq: Position(seq))) }
            events.append(event)
        case .document(let document): try mirrored(document, mirror, &writer)
        case .reached(let point): reach(point)
        case .replaced(let changes, let point):
            for change in changes { try writer.apply(change) }
            reach(point)
        case .history(let chat, let messages, let page, let asOf):
            guard let conversation = try writer.row(RowKey(.chats, chat)) else { return }
            for change in Mirror.changes(of: conversation, byHistory: messages, page, asOf: asOf) {
                try writer.apply(change)
            }
        case .changes(let changes): for change in changes { try writer.apply(change) }
        }
    }

    private mutating func mirrored(_ event: JSONValue, _ mirror: Mirror, _ writer: inout StoreWriter) throws {
        let rows = try writer.rows(for: Mirror.needs(of: event))
        for change in mirror.changes(by: event, in: rows) { try writer.apply(change) }
    }

    /// The cursor never goes back within one history of the server.
    private mutating func reach(_ point: ResumePoint) {
        if let cursor, cursor.epoch == point.epoch, cursor.seq >= point.seq { return }
        cursor = point
    }
}
