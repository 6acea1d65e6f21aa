import ClientProtocol
package import Execution
package import JSON
package import Model
import Push
import Store

/// `GET /v1/push/devices`: registered devices for operators, newest first; those of one user if one is named.
///
/// - Confinement: any
package struct ListPushDevices: ReadUseCase {
    let user: UserID?
    let before: String?
    let limit: Int

    package init(of user: UserID?, before: String?, limit: Int) {
        self.user = user
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let (users, devices) = (context.transaction.users, context.transaction.pushDevices)
        var found: [PushDeviceEntry]
        if let user {
            guard let number = try users.number(of: user) else { throw Refusal.noUser(user) }
            found = try devices.all(of: number)
        } else {
            let before = try Cursor.number(before, field: "before")
            found = try devices.page(before: before, limit: limit + 1)
        }
        let page = Page(found, limit: user == nil ? limit : found.count) { String($0.id) }
        var names: [StreamID: String] = [:]
        for entry in page.entries { names[entry.user] = try users.name(of: entry.user)?.text }
        return JSONObject("devices", page) { entry in
            var object: JSONObject = ["id": .string(String(entry.id)), "user": .string(names[entry.user] ?? "")]
            for (name, value) in entry.json.members { object[name] = value }
            object["used"] = .string(entry.used.text)
            object["privacy"] = .string(entry.registration.privacy.rawValue)
            object["failures"] = .integer(entry.failures)
            return .object(object)
        }
    }
}
