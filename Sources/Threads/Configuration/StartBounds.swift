import Model

/// Bounds of ``StartAdmission``, for each loop.
///
/// - Confinement: any
package struct StartBounds: Sendable, Hashable {
    /// Starts that read at once.
    package var inWorkMax = Limits.startsInWorkMax
    /// Starts that wait for their turn.
    package var waitingMax = Limits.startsWaitingMax
    /// How long one may wait.
    package var waitMilliseconds = Limits.startWaitMilliseconds

    package init() {}
}
