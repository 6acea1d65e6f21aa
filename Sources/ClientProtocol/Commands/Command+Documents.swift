package import JSON
package import Model

/// The commands about documents.
extension Command {
    /// What can be watched: one document, or those that lie in a collection.
    package enum WatchedPath: Sendable, Hashable {
        case document(DocumentPath)
        case collection(String)

        /// The path as it stands on the wire.
        package var text: String {
            switch self {
            case .document(let path): path.text
            case .collection(let path): path
            }
        }
    }

    /// Reads one document.
    package struct Get: Sendable, Hashable {
        package var path: DocumentPath

        package init(path: DocumentPath) {
            self.path = path
        }
    }

    /// Writes a whole document.
    package struct Put: Sendable, Hashable {
        package var path: DocumentPath
        package var data: JSONObject
        /// Only if the document has this version; 0 when there must be none yet.
        package var ifVersion: Int64?
        package var key: WriteKey

        package init(path: DocumentPath, data: JSONObject, ifVersion: Int64? = nil, key: WriteKey) {
            self.path = path
            self.data = data
            self.ifVersion = ifVersion
            self.key = key
        }
    }

    /// Changes members of a document (RFC 7396).
    package struct Patch: Sendable, Hashable {
        package var path: DocumentPath
        package var data: JSONObject
        /// Only if the document has this version; 0 when there must be none yet.
        package var ifVersion: Int64?
        package var key: WriteKey

        package init(path: DocumentPath, data: JSONObject, ifVersion: Int64? = nil, key: WriteKey) {
            self.path = path
            self.data = data
            self.ifVersion = ifVersion
            self.key = key
        }
    }

    /// Removes a document.
    package struct Remove: Sendable, Hashable {
        package var path: DocumentPath
        /// Only if the document has this version; 0 when there must be none yet.
        package var ifVersion: Int64?
        package var key: WriteKey

        package init(path: DocumentPath, ifVersion: Int64? = nil, key: WriteKey) {
            self.path = path
            self.ifVersion = ifVersion
            self.key = key
        }
    }

    /// Events for every change of a document, or of those in a collection, from the present state on.
    package struct Watch: Sendable, Hashable {
        package var path: WatchedPath
        /// The `next` of the answer before, where a collection comes in pages.
        package var after: String?
        /// Only changes after this point are wanted.
        package var since: ResumePoint?

        package init(path: WatchedPath, after: String? = nil, since: ResumePoint? = nil) {
            self.path = path
            self.after = after
            self.since = since
        }
    }

    /// No more events for what was watched.
    package struct Unwatch: Sendable, Hashable {
        package var path: WatchedPath

        package init(path: WatchedPath) {
            self.path = path
        }
    }
}

extension Command.Get {
    init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
    }
}

extension Command.Put {
    init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
        data = try fields.required("data").tree()
        ifVersion = try fields.optional("ifVersion")?.integer(0...FieldLimits.integerMax)
        key = try fields.required("key").key()
    }
}

extension Command.Patch {
    init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
        data = try fields.required("data").tree()
        ifVersion = try fields.optional("ifVersion")?.integer(0...FieldLimits.integerMax)
        key = try fields.required("key").key()
    }
}

extension Command.Remove {
    init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
        ifVersion = try fields.optional("ifVersion")?.integer(0...FieldLimits.integerMax)
        key = try fields.required("key").key()
    }
}

extension Command.Watch {
    init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").watchedPath()
        after = try fields.optional("after")?.visibleASCII(bytesMax: Limits.documentPathBytesMax)
        since = try fields.optional("since")?.resumePoint()
        guard after == nil || since == nil else {
            throw Refusal.badRequest(field: "since", "belongs in the first watch of a path, not beside after")
        }
    }
}

extension Command.Unwatch {
    init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").watchedPath()
    }
}
