internal import Foundation

/// A folder of one test's own, removed with everything in it when the test lets go of it.
///
/// - Confinement: any
package final class TemporaryFolder: Sendable {
    /// Absolute, without a slash at the end; the folder itself is not made yet.
    package let path: String

    /// A name that no other folder has.
    package init() {
        path = FileManager.default.temporaryDirectory.path + "/watchwise-test-" + UUID().uuidString
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Names of the files in it, sorted; empty when it was not made.
    package var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }

    /// Permission bits of a file or folder, as `chmod` takes them; nil when there is none.
    package static func permissions(of path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.posixPermissions] as? Int
    }
}
