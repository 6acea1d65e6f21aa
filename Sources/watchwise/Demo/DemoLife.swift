import JSON
import Model

/// The short life of an application whose documents change by themselves: facts, played by ``DemoLifePlay``.
struct DemoLife {
    /// A write of a document.
    enum Write {
        case put(String, JSONValue)
        case patch(String, JSONValue)
        case delete(String)

        /// As it stands in a batch.
        var json: JSONValue {
            switch self {
            case .put(let path, let data): ["op": "put", "path": .string(path), "data": data]
            case .patch(let path, let data): ["op": "patch", "path": .string(path), "data": data]
            case .delete(let path): ["op": "delete", "path": .string(path)]
            }
        }
    }

    /// Something that happens.
    struct Scene {
        let teller: String
        let text: String
        /// How long it is looked at, in milliseconds.
        let pause: Int64
        /// What it writes, at the time at which it happens.
        let writes: @Sendable (Timestamp) -> [Write]

        init(_ teller: String, _ text: String, pause: Int64 = 5000, writes: @escaping @Sendable (Timestamp) -> [Write])
        {
            self.teller = teller
            self.text = text
            self.pause = pause
            self.writes = writes
        }

        init(_ teller: String, _ text: String, pause: Int64 = 5000, _ writes: Write...) {
            self.init(teller, text, pause: pause) { _ in writes }
        }
    }

    let about: String
    /// What to look at on the page, or to do there.
    let trying: String
    let title: String
    let people: [DemoPerson]
    /// On the page, side by side: user and device.
    let panes: [(String, String)]
    /// Collections on the page; `{user}` stands for who looks.
    let watched: [String]
    let begins: [Write]
    /// Who follows what: the first is a user, the second the path of what stands for the topic.
    let follows: [(String, String)]
    /// One after the other, and then from the beginning.
    let scenes: [Scene]
}
