import Execution
import JSON
package import Model
package import Store

extension WriteTransaction {
    /// Takes a person out of what triggers have scheduled; what is for nobody else goes.
    ///
    /// - Returns: how many schedules there were.
    package func unschedule(for user: UserID) throws -> Int {
        let person = JSONValue.string("user \(user.text)")
        var count = 0
        for schedule in try triggers.scheduled(with: person.text) {
            var wanted = try StoredJSON.object(schedule.wanted, place: "schedules.wanted")
            let audiences = wanted["audience"]?.arrayValue ?? wanted["audience"].map { [$0] } ?? []
            // The same characters may stand in a text.
            guard audiences.contains(person) else { continue }
            let left = audiences.filter { $0 != person }
            count += 1
            guard !left.isEmpty else {
                try triggers.unschedule(schedule.trigger, path: schedule.path)
                continue
            }
            wanted["audience"] = .array(left)
            let rest = ScheduleEntry(
                trigger: schedule.trigger, path: schedule.path, due: schedule.due, change: schedule.change,
                wanted: JSONValue.object(wanted).text)
            try triggers.schedule(rest)
            if let webhook = schedule.webhook {
                try triggers.schedule(webhook: webhook, of: schedule.trigger, path: schedule.path)
            }
        }
        return count
    }
}
