import WatchWise

/// Measuring stations: their index as it is now, and a notification when that of a bookmarked one becomes worse.
@WatchWiseActor
struct AirQuality {
    struct Station: Codable, Sendable, Hashable {
        let name: String
        /// 0 is very good, 5 very bad; nil when nothing was measured.
        let index: Int?
    }

    let ww: WatchWise

    func bookmark(_ station: String) throws { try ww.topics.follow("station:\(station)") }

    /// The stations, the worst first.
    func showStations(_ show: @Sendable ([Station]) -> Bool) async {
        for await stations in ww.collection("stations", as: Station.self).snapshots() {
            guard show(stations.items.map(\.data).sorted { $0.index ?? -1 > $1.index ?? -1 }) else { return }
        }
    }

    /// The texts of warnings, in the language of the device.
    func showWarnings(_ show: @Sendable ([InboxItem]) -> Bool) async {
        for await inbox in ww.inbox.snapshots() where !show(inbox.items.filter { !$0.isSeen }) { return }
    }
}
