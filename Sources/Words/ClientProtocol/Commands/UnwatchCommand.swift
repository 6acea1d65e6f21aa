/// Ends the events for a path that was watched.
///
/// - Confinement: any
package struct UnwatchCommand: Command {
    package static let name = "unwatch"
    package static let needsSession = true

    package var path: WatchedPath
}

extension UnwatchCommand {
    package static let form = CommandForm([.watchedPath], ok: [.watchedPath])

    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").watchedPath()
    }
}
