import JSON
package import Model

/// The objection of a push service to a device, until a push is sent to it again.
///
/// - Confinement: any
package struct DeviceProblem: Sendable, Hashable {
    /// - Confinement: any
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Our key or our request is refused for this subscription.
        case refused
        /// 507: the app that forwards UnifiedPush messages is not connected.
        case unsubscribed
        /// The setting `apns-topics` or the key does not fit the app.
        case misconfigured
    }

    package let kind: Kind
    /// The answer.
    package let reason: String
    /// When it began.
    package let since: Timestamp
    /// How often it was counted, at most once a day and up to the bound, and when last.
    let count: Int
    let counted: Timestamp

    /// A problem, or the same one again. A problem of another kind begins a new count.
    init(_ kind: Kind, reason: String, after earlier: DeviceProblem?, at now: Timestamp) {
        self.kind = kind
        self.reason = reason
        guard let earlier, earlier.kind == kind else {
            (since, count, counted) = (now, 1, now)
            return
        }
        let isNewDay = now.milliseconds - earlier.counted.milliseconds >= PushLimits.refusalMilliseconds
        since = min(earlier.since, now)
        count = min(earlier.count + (isNewDay ? 1 : 0), PushLimits.refusalsMax)
        counted = isNewDay ? now : min(earlier.counted, now)
    }

    /// Whether the device goes for it: refused on three days in a row, or without a listener for a week. A wrong
    /// configuration is the operator's to correct, so it removes no device.
    func removesDevice(at now: Timestamp) -> Bool {
        switch kind {
        case .refused: count >= PushLimits.refusalsMax
        case .unsubscribed: now.milliseconds - since.milliseconds >= PushLimits.unsubscribedMillisecondsMax
        case .misconfigured: false
        }
    }

    /// The form for the database.
    package var stored: String {
        let object: JSONValue = [
            "kind": .string(kind.rawValue), "reason": .string(reason), "since": .integer(since.milliseconds),
            "count": .integer(Int64(count)), "counted": .integer(counted.milliseconds),
        ]
        return object.text
    }

    /// Reads that form; nil for any other text.
    package init?(stored text: String) {
        let value: JSONValue
        do { value = try JSONValue(parsing: Array(text.utf8)) } catch { return nil }
        guard let kind = value["kind"]?.stringValue.flatMap(Kind.init), let reason = value["reason"]?.stringValue,
            let since = value["since"]?.integerValue, let counted = value["counted"]?.integerValue,
            let count = value["count"]?.integerValue, (1...Int64(PushLimits.refusalsMax)).contains(count)
        else { return nil }
        self.kind = kind
        self.reason = reason
        self.since = Timestamp(milliseconds: since)
        self.count = Int(count)
        self.counted = Timestamp(milliseconds: counted)
    }
}
