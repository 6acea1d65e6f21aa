internal import Foundation

/// A folder of its own for a test, removed with everything in it when nobody holds it any more.
/// - Confinement: any
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        path = NSTemporaryDirectory() + "watchwise-test-" + UUID().uuidString
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
