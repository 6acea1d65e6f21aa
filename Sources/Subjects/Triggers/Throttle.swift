package import JSON
import Model

/// The `throttle` column of a row: how often its notifications may interrupt one recipient.
///
/// - Confinement: any
package struct Throttle: Sendable, Hashable {
    /// Length of the window that ends with each notification.
    package let seconds: Int64
    /// The most interruptions in that window.
    package let max: Int
    /// Whether each value of `collapse` has a count of its own (`"by": "collapse"`).
    package let countsEachCollapse: Bool

    package init(seconds: Int64, max: Int, countsEachCollapse: Bool = false) {
        self.seconds = seconds
        self.max = max
        self.countsEachCollapse = countsEachCollapse
    }

    /// Reads the column.
    ///
    /// - Throws: ``TriggerProblem`` naming `throttle`, or the member in it.
    package init(json: JSONValue) throws(TriggerProblem) {
        guard let object = json.objectValue else {
            throw TriggerProblem(field: "throttle", message: #"must be an object such as {"seconds": 3600, "max": 1}"#)
        }
        for (name, _) in object.members where !["seconds", "max", "by"].contains(name) {
            throw TriggerProblem(field: "throttle.\(name)", message: "there is no such member; it has seconds, max, by")
        }
        let by = object["by"] ?? .null
        guard by.isNull || by == "collapse" else {
            throw TriggerProblem(field: "throttle.by", message: "must be collapse, or absent")
        }
        countsEachCollapse = !by.isNull
        seconds = try Self.number(object["seconds"] ?? .null, "seconds", max: TriggerLimits.throttleSecondsMax)
        max = Int(try Self.number(object["max"] ?? .integer(1), "max", max: TriggerLimits.throttleCountMax))
    }

    private static func number(_ json: JSONValue, _ name: String, max: Int64) throws(TriggerProblem) -> Int64 {
        guard let number = json.integerValue, (1...max).contains(number) else {
            throw TriggerProblem(field: "throttle.\(name)", message: "must be a whole number from 1 to \(max)")
        }
        return number
    }

    package var json: JSONValue {
        var json: JSONValue = ["seconds": .integer(seconds), "max": .integer(Int64(max))]
        if countsEachCollapse { json["by"] = "collapse" }
        return json
    }
}
