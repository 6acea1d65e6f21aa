package import Testing

extension Tag {
    /// Measures wall time. `deploy/test` runs it when nothing else runs.
    @Tag package static var timed: Self
    /// Shows that a check finds a planted mistake. `deploy/test` leaves it to `deploy/nightly planted`.
    @Tag package static var planted: Self
}

extension Trait where Self == Tag.List {
    /// As the first trait, `@Test(.timed)` or `@Suite(.timed)`: it measures wall time, so `deploy/test` runs it when nothing
    /// else runs.
    package static var timed: Self { .tags(.timed) }
    /// As the first trait, `@Test(.planted)`: it shows that a check finds a planted mistake, so it waits for
    /// `deploy/nightly planted`.
    package static var planted: Self { .tags(.planted) }
}
