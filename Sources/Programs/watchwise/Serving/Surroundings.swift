import Configuration
import Foundation
import Model

/// The environment of the program at its start.
enum Surroundings {
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// An environment variable; nil when it is absent or empty.
    static func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The login name of the person that runs the program.
    static var loginName: String { NSUserName() }

    /// The machine's time.
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    /// A time for the server: a duration counts from now.
    static func time(_ text: String) -> String {
        TimeSpan(text).map { now.adding(milliseconds: $0.milliseconds).text } ?? text
    }

    /// The server's folder: from the option, else from the environment, else the default.
    static func dataFolder(option: String?) -> String {
        option ?? variable("WATCHWISE_DATA") ?? ServerConfiguration().data
    }
}
