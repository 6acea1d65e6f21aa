/// Ends the events for a path that was watched.
///
/// - Confinement: any
package struct UnwatchCommand: Command {
    package static let name = "unwatch"

    package var path: WatchedPath

    package init(path: WatchedPath) {
        self.path = path
    }

    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").watchedPath()
    }
}
