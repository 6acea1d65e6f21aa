import Log
import Model

// How a notification is stored.
extension NotificationEntry {
    private enum Column: Int, ColumnName {
        case seq, stream, topic, kind, level, texts, data, at, expires, collapse, trigger, change, broadcast, path
        case silence, others, zones, origin
    }

    /// Of the table `n`.
    static let columns = Column.list("n.")
    static let query = "SELECT \(columns) FROM notifications n"

    static let insertSQL = """
        INSERT INTO notifications(\(Column.list())) VALUES (\(Column.parameters))
        ON CONFLICT(trigger, change, stream) DO NOTHING
        """

    /// Gives the statement of ``insertSQL`` its arguments.
    func bind(to input: inout StatementInput) {
        input.add(position.value)
        input.add(stream.value)
        input.add(topic)
        input.add(kind)
        input.add(level.rawValue)
        input.add(texts)
        input.add(data)
        input.add(at.milliseconds)
        input.add(expires?.milliseconds)
        input.add(collapse)
        input.add(trigger)
        input.add(change?.value)
        input.add(broadcast)
        input.add(path)
        input.add(silence?.rawValue)
        input.add(storedOthers)
        input.add(storedZones)
        input.add(origin?.value)
    }

    init(_ row: Columns) throws {
        guard let level = try InterruptionLevel(rawValue: row[Column.level]) else {
            throw StoredValueProblem(place: "notifications.level")
        }
        let silence: String? = try row.optional(Column.silence)
        let others: String? = try row.optional(Column.others)
        let words = others?.split(separator: " ").map(String.init) ?? []
        let zones: String? = try row.optional(Column.zones)
        position = try row[Column.seq]
        stream = try row[Column.stream]
        topic = try row[Column.topic]
        kind = try row[Column.kind]
        self.level = level
        texts = try row[Column.texts]
        data = try row[Column.data]
        at = try row[Column.at]
        expires = try row.optional(Column.expires)
        collapse = try row.optional(Column.collapse)
        trigger = try row.optional(Column.trigger)
        change = try row.optional(Column.change)
        broadcast = try row.optional(Column.broadcast)
        path = try row.optional(Column.path)
        self.silence = silence.flatMap(Silence.init(rawValue:))
        origin = try row.optional(Column.origin)
        self.others = words.filter { !Self.marks.contains($0) }
        isBesidePersonal = words.contains(Self.besidePersonal)
        needsAllMuted = words.contains(Self.allMuted)
        isAcrossTopics = words.contains(Self.acrossTopics)
        self.zones = zones?.split(separator: " ").map(String.init) ?? []
    }

    /// Whether it lies in further streams, or is not for all readers of its own.
    var isShared: Bool { !others.isEmpty || isBesidePersonal || isAcrossTopics || !zones.isEmpty }

    /// The marks before ``others`` as they are stored, of ``isBesidePersonal`` and ``needsAllMuted``.
    private static let besidePersonal = "@"
    private static let allMuted = "&"
    /// The mark before all others, of ``isAcrossTopics``.
    private static let acrossTopics = "="
    private static let marks = [acrossTopics, besidePersonal, allMuted]

    /// The marks and the other topics, with spaces between, which no topic has; nil when it is not shared.
    private var storedOthers: String? {
        guard isShared else { return nil }
        var words = others
        if needsAllMuted { words.insert(Self.allMuted, at: 0) }
        if isBesidePersonal { words.insert(Self.besidePersonal, at: 0) }
        if isAcrossTopics { words.insert(Self.acrossTopics, at: 0) }
        return words.joined(separator: " ")
    }

    /// With a space before and after each, so that one is found in it as a whole.
    private var storedZones: String? { zones.isEmpty ? nil : " " + zones.joined(separator: " ") + " " }
}
