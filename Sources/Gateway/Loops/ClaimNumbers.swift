import Synchronization

/// Numbers sessions over all loops as they are opened, so that of two connections of one device the later one stays.
///
/// The loops' clocks cannot say which is the later: they are read once a turn, and two connections of one millisecond
/// would both stay.
///
/// - Confinement: any
final class ClaimNumbers: Sendable {
    private let last = Atomic<Int64>(0)

    /// A number greater than all before it.
    func next() -> Int64 { last.add(1, ordering: .relaxed).newValue }
}
