package import JSON
package import Model

/// The short life of an application whose documents change by themselves: a script that ``DemoLifePlay`` performs.
package struct DemoLife {
    /// A write of a document.
    package enum Write {
        case put(String, JSONValue)
        case patch(String, JSONValue)
        case delete(String)

        /// The form in a batch.
        package var json: JSONValue {
            switch self {
            case .put(let path, let data): ["op": "put", "path": .string(path), "data": data]
            case .patch(let path, let data): ["op": "patch", "path": .string(path), "data": data]
            case .delete(let path): ["op": "delete", "path": .string(path)]
            }
        }
    }

    /// An event of the script.
    package struct Scene {
        package let teller: String
        package let text: String
        /// How long to wait after it, in milliseconds.
        package let pause: Int64
        /// Its writes, made from the time at which it happens.
        package let writes: @Sendable (Timestamp) -> [Write]

        package init(
            _ teller: String, _ text: String, pause: Int64 = 5000, writes: @escaping @Sendable (Timestamp) -> [Write]
        ) {
            self.teller = teller
            self.text = text
            self.pause = pause
            self.writes = writes
        }

        package init(_ teller: String, _ text: String, pause: Int64 = 5000, _ writes: Write...) {
            self.init(teller, text, pause: pause) { _ in writes }
        }
    }

    package let about: String
    package let title: String
    package let people: [DemoPerson]
    /// The devices side by side on the page: user and device.
    package let panes: [(String, String)]
    package let begins: [Write]
    /// The follows: a user, and the path of the document that stands for the topic.
    package let follows: [(String, String)]
    /// Played in order, and then again from the beginning.
    package let scenes: [Scene]
}
