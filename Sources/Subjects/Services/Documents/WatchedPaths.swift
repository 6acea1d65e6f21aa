package import ClientProtocol
import Model
import Synchronization

/// The paths that sessions watch, or are about to watch. They show the writer which streams of documents nobody needs.
///
/// A stream may be deleted only while nobody has an interest in its path. The writer first marks the path as leaving,
/// then deletes the stream, commits, and removes the mark. A session whose interest begins under the mark must ask the
/// writer to open the stream again before it reads. The writer does one command after the other.
///
/// - Confinement: any
package final class WatchedPaths: Sendable {
    private struct State {
        var interests: [String: Int] = [:]
        var leaving: Set<String> = []
    }

    // Its lock protects all of it: sessions of every loop use it, and the writer.
    private let state = Mutex(State())

    package init() {}

    /// A session's interest in a path, which lasts as long as this object.
    ///
    /// - Confinement: any
    package final class Interest: Sendable {
        private let paths: WatchedPaths
        private let name: String
        /// Whether the writer may be deleting the path's stream: then it must be opened before it is read.
        package let mustOpen: Bool

        fileprivate init(_ name: String, in paths: WatchedPaths) {
            self.paths = paths
            self.name = name
            mustOpen = paths.state.withLock { state in
                state.interests[name, default: 0] += 1
                return state.leaving.contains(name)
            }
        }

        deinit {
            paths.state.withLock { [name] state in
                let left = (state.interests[name] ?? 1) - 1
                state.interests[name] = left > 0 ? left : nil
            }
        }
    }

    /// Begins an interest in a path.
    package func begin(_ path: WatchedPath) -> Interest {
        let name =
            switch path {
            case .document(let path): "document/" + path.text
            case .collection(let path): "documents/" + path
            }
        return Interest(name, in: self)
    }

    /// Marks a stream, by its name, as leaving; false when somebody has an interest in its path.
    func markLeaving(_ name: String) -> Bool {
        state.withLock { state in
            guard state.interests[name] == nil else { return false }
            state.leaving.insert(name)
            return true
        }
    }

    /// Removes all marks: the deletion of the streams is committed, or undone.
    package func settleLeaving() { state.withLock { $0.leaving.removeAll() } }
}
