import Model

/// Facts that must be known as long as an earlier copy of a write may be on its way: those of the last minute at least, if
/// they are not too many.
///
/// The facts lie in two halves. When the newer half is full or old, it takes the place of the older half, whose facts are
/// forgotten.
///
/// - Confinement: store
struct FencedFacts<Key: Hashable, Value: Comparable> {
    private var newest: [Key: Value] = [:]
    /// The facts before those, which are forgotten next.
    private var older: [Key: Value] = [:]
    private var turnedAt: Int64 = 0
    /// The bound of ``newest``.
    private let countMax: Int

    init(countMax: Int = MemberLimits.fencedDevicesMax) { self.countMax = countMax }

    /// Whether nothing is known.
    var isEmpty: Bool { newest.isEmpty && older.isEmpty }

    /// The greatest value that was noted of a key; nil when none is known.
    subscript(key: Key) -> Value? { newest[key] ?? older[key] }

    /// Notes a value; a greater one stays.
    mutating func note(_ value: Value, of key: Key, at tick: Int64) {
        if let known = newest[key], known >= value { return }
        let known = older[key] ?? value
        if newest.count >= countMax { turn(at: tick) }
        newest[key] = max(known, value)
    }

    /// Forgets what is too old for any write that is on its way.
    mutating func forget(at tick: Int64) {
        if tick - turnedAt >= MemberLimits.fencedMilliseconds { turn(at: tick) }
    }

    private mutating func turn(at tick: Int64) {
        older = newest
        newest = [:]
        turnedAt = tick
    }
}
