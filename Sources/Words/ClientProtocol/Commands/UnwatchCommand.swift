/// Ends the events for a path that was watched.
///
/// - Confinement: any
package struct UnwatchCommand: Command {
    package static let name = "unwatch"

    package var path: WatchedPath
}

extension UnwatchCommand {
    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").watchedPath()
    }
}
