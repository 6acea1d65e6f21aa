/// How many times as much a body costs when its input is twice as large: about 2 where the work is in proportion to the
/// input, 4 where it grows with its square.
///
/// The least of several runs counts, so that other work on the machine does not.
///
/// - Parameters:
///   - size: of the smaller input.
///   - prepare: makes the input of a size; it is not measured.
///   - body: the work.
package func costOfDoubling<Input>(
    _ size: Int,
    prepare: (Int) throws -> Input,
    _ body: (Input) throws -> Void
) rethrows -> Double {
    var least = [Duration.seconds(3600), .seconds(3600)]
    for _ in 0..<7 {
        for factor in [1, 2] {
            let input = try prepare(size * factor)
            let took = try ContinuousClock().measure { try body(input) }
            least[factor - 1] = min(least[factor - 1], took)
        }
    }
    return least[1] / least[0]
}
