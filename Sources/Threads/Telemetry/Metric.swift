package import Synchronization

/// A number of the server with its name and meaning: a counter only grows, a gauge goes up and down.
///
/// It is a relaxed atomic.
///
/// - Confinement: any
package struct Metric: ~Copyable, Sendable {
    /// Name, kind, meaning and value, as `/metrics` shows them.
    package typealias Row = (name: String, isCounter: Bool, help: String, value: Int)

    private let name: String
    private let isCounter: Bool
    private let help: String
    @usableFromInline
    let value = Atomic<Int>(0)

    init(counter name: String, _ help: String) {
        self.name = name
        isCounter = true
        self.help = help
    }

    init(gauge name: String, _ help: String) {
        self.name = name
        isCounter = false
        self.help = help
    }

    /// The value.
    package var now: Int { value.now }

    var row: Row { (name, isCounter, help, now) }

    /// Adds to the value.
    @inlinable
    package func add(_ count: Int) { value.add(count, ordering: .relaxed) }

    /// Subtracts from the value of a gauge.
    @inlinable
    package func subtract(_ count: Int) { value.subtract(count, ordering: .relaxed) }

    /// Sets the value of a gauge.
    package func set(_ count: Int) { value.store(count, ordering: .relaxed) }
}
