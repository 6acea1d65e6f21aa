import Model

/// The pauses between two tries. Chance is a parameter.
///
/// - Confinement: any
package enum PushPace {
    /// Milliseconds until the next try, each randomly longer by up to a fifth.
    ///
    /// - Parameters:
    ///   - tries: The tries so far; from 1 on.
    ///   - steps: The pauses after the first, the second … try; the last one repeats.
    package static func pause(
        afterTries tries: Int, of steps: [Int64] = PushLimits.retryMilliseconds,
        using random: inout some RandomNumberGenerator
    ) -> Int64 {
        let step = steps[min(max(tries, 1), steps.count) - 1]
        return step + Int64.random(in: 0...step * PushLimits.retryJitterPercent / 100, using: &random)
    }

    /// Twice the last pause, at least `least`, at most an hour.
    static func doubled(_ last: Int64?, from least: Int64) -> Int64 {
        guard let last else { return least }
        let most = PushLimits.doubledMillisecondsMax
        return max(least, last >= most / 2 ? most : 2 * last)
    }
}
