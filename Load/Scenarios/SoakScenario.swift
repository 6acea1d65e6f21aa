/// Hours of normal work: chats at a fixed rate, and sometimes a notice to everyone; memory and file descriptors must
/// not grow.
struct SoakScenario: Sendable {
    static let rateDefault = 500.0
    private static let noticesPerSecond = 0.2
    /// Growth in the second half beyond this is called a leak: allocators and caches need some time to settle.
    private static let growthBytesMax: Int64 = 64 << 20
    private static let growthShareMax = 0.25

    var connections: Int
    var rate: Double

    func run(_ course: Course) throws -> Outcome {
        let notices = FanoutScenario(
            connections: connections, rate: Self.noticesPerSecond, audience: .topic)
        let fans = try notices.crew(course)
        var outcome: Outcome
        do {
            let chats = try PairsScenario.crew(course, connections: connections, rate: rate)
            fans.begin()
            outcome = try course.measure(
                "soak", "\(Figures.whole(rate)) messages/s", connections: 2 * connections, crew: chats,
                times: PairsScenario.times, isPaced: true)
            try fans.settle(seconds: 20)
        } catch {
            fans.stop()
            throw error
        }
        fans.stop()
        outcome.add(fans.board, times: FanoutScenario.times, as: "notice ")
        judge(&outcome)
        return outcome
    }

    private func judge(_ outcome: inout Outcome) {
        let points = outcome.timeline.points
        guard points.count >= 4, let last = points.last else { return }
        let middle = points[points.count / 2]
        let hours = (last.seconds - middle.seconds) / 3600
        let growth = last.residentBytes - middle.residentBytes
        if hours > 0 {
            outcome.facts.append(("resident MiB more each hour", Double(growth) / 1_048_576 / hours))
        }
        outcome.facts.append(("files more", Double(last.descriptors - middle.descriptors)))
        // A run of a few seconds says nothing about hours.
        guard outcome.seconds >= 60 else { return }
        if growth > Self.growthBytesMax, Double(growth) > Self.growthShareMax * Double(middle.residentBytes) {
            outcome.broken.append("resident memory grew by \((growth / 1_048_576).grouped) MiB in the second half")
        }
        if last.descriptors > middle.descriptors + 16 {
            outcome.broken.append("\(last.descriptors - middle.descriptors) files more than at half time")
        }
    }
}
