import Glibc

/// The cost of `body` in processor time of this thread: the least of several runs, so that other work on the machine
/// does not count.
///
/// - Parameters:
///   - prepare: makes the input; it is not measured.
///   - body: the work; all of it must run on the calling thread.
package func leastCost<Input>(
    prepare: () throws -> Input,
    _ body: (Input) throws -> Void
) rethrows -> Duration {
    var least = Duration.seconds(3600)
    for _ in 0..<7 {
        let input = try prepare()
        let before = threadTime()
        try body(input)
        least = min(least, threadTime() - before)
    }
    return least
}

/// How many times more `body` costs when its input is twice as large: about 2 if the work is proportional to the input,
/// 4 if it grows with the square. The least of several tries: a busy machine sometimes makes caches smaller, but
/// quadratic work is slow in each try.
///
/// - Parameters:
///   - size: The size of the smaller input.
///   - prepare: Makes the input of a size; it is not measured.
///   - body: The work.
package func costOfDoubling<Input>(
    _ size: Int,
    prepare: (Int) throws -> Input,
    _ body: (Input) throws -> Void
) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<6 where least > 2.4 {
        let single = try leastCost(prepare: { try prepare(size) }, body)
        let double = try leastCost(prepare: { try prepare(2 * size) }, body)
        least = min(least, double / single)
    }
    return least
}

/// The processor time that the calling thread has taken.
private func threadTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
