import WatchWise

/// A ski resort: which lifts run, and what interrupts.
@WatchWiseActor
struct SkiResort {
    struct Lift: Codable, Sendable, Hashable {
        let name: String
        let status: String
    }

    let ww: WatchWise
    let resort: String

    func favour() throws { try ww.topics.follow("resort:\(resort)") }

    /// No notification but an avalanche rings at night.
    func sleep(from: String, to: String) throws {
        let hours: AnyJSON = .object(["from": .string(from), "to": .string(to)])
        try ww.preferences.set(["timeZone": "Europe/Athens", "quietHours": hours])
    }

    func showLifts(_ show: @Sendable ([String: String]) -> Bool) async {
        for await lifts in ww.collection("resorts/\(resort)/lifts", as: Lift.self).snapshots() {
            guard show(Dictionary(lifts.items.map { ($0.data.name, $0.data.status) }) { $1 }) else { return }
        }
    }
}
