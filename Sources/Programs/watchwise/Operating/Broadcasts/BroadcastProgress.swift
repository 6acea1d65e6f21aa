import Client
import Console
import JSON

/// Shows the deliveries of a broadcast that was just sent.
struct BroadcastProgress {
    let id: String
    let audience: String
    let size: Int64
    let isJSON: Bool

    /// Shows the deliveries until they have not grown for a second and a half, at most half a minute.
    func follow(with client: AdminClient) throws {
        var state: JSONValue = .null
        var delivered: Int64 = -1
        var quiet: Int64 = 0
        var waited: Int64 = 0
        var isInterrupted = false
        while quiet < 1500, waited < 30_000, !isInterrupted {
            state = try client.ask("GET", "broadcasts/" + id)
            let now = state["delivered"]?.integerValue ?? 0
            quiet = now == delivered ? quiet + 150 : 0
            delivered = now
            Terminal.progress("  delivered live to " + share(delivered))
            isInterrupted = try Pause.isInterrupted(withinMilliseconds: 150)
            waited += 150
        }
        Terminal.progress("")
        if isJSON { return Terminal.line(state.text) }
        let rest = audience == "online" ? "the others do not get it" : "the others find it when they next connect"
        Terminal.line("delivered live to \(share(max(0, delivered))); \(rest)")
        Terminal.line("to take it back: watchwise broadcast cancel \(id)")
    }

    /// `312 devices, for 1,204 people (26 %)`; people may have several devices, so the share may exceed 100 %.
    private func share(_ devices: Int64) -> String {
        let percent = size > 0 ? " (\(devices * 100 / size) %)" : ""
        return devices.counted("device", "devices") + ", for " + size.counted("person", "people") + percent
    }
}
