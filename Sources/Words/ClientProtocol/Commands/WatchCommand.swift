import Model

/// Asks for the state of a document or a collection, and for an event at each change from then on.
///
/// - Confinement: any
package struct WatchCommand: Command {
    package static let name = "watch"
    package static let needsSession = true
    package static let form = CommandForm(
        either: [
            [.watchedPath, .may("after", .visible(DocumentLimits.pathBytesMax)), .without("since")],
            [.watchedPath, .may("since", .resumePoint), .without("after")],
        ], ok: SharedForms.watched)

    package var path: WatchedPath
    /// The `next` of the answer before, where a collection comes in pages.
    package var after: String?
    /// The client wants only the changes after this point.
    package var since: ResumePoint?

    package init(path: WatchedPath, after: String? = nil, since: ResumePoint? = nil) {
        self.path = path
        self.after = after
        self.since = since
    }

    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").watchedPath()
        after = try fields.optional("after")?.visibleASCII(bytesMax: DocumentLimits.pathBytesMax)
        since = try fields.optional("since")?.resumePoint()
        guard after == nil || since == nil else {
            throw .badRequest(field: "since", "belongs in the first watch of a path, not beside after")
        }
    }

    package var weight: Int {
        switch path {
        case .document: 2
        case .collection: Limits.collectionWeight
        }
    }
}
