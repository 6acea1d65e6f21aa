import Authentication
import ClientProtocol
import Execution
import Model
import Services
import Wire

/// `/v1/documents…` and `/v1/rules`.
///
/// - Confinement: any
enum DocumentRoutes {
    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "documents", .read, "document.list", details: ["collection"],
            open: { call, claims throws(Refusal) in try call.openListing(claims) }
        ) { call throws(Refusal) in try call.listing() },
        AdminRoute(
            "POST", "documents", .publish, "document.batch", bodyBytesMax: Limits.requestBodyBytesMax
        ) { call throws(Refusal) in
            let writes = try BatchBody(call.request.object()).writes
            for (index, write) in writes.enumerated() {
                try GuardedCollection.check(
                    write.path, field: "writes[\(index)].path", for: call.request, at: call.door)
            }
            var useCase = WriteDocuments(batch: writes, key: try call.request.key())
            useCase.chain = try call.request.chain()
            return .write(useCase, call.actor)
        },
        AdminRoute(
            "GET", "documents/{path…}", .read, "document.get",
            open: { call, claims throws(Refusal) in try call.openDocument(claims) }
        ) { call throws(Refusal) in
            let path = try call.path()
            return call.reading(ReadDocument(path), at: path.text)
        },
        AdminRoute("PUT", "documents/{path…}", .publish, "document.put") { call throws(Refusal) in
            let path = try call.path()
            return try call.write(path, .put(call.request.object()))
        },
        AdminRoute("PATCH", "documents/{path…}", .publish, "document.patch") { call throws(Refusal) in
            let path = try call.path()
            return try call.write(path, .patch(call.request.object()))
        },
        AdminRoute("DELETE", "documents/{path…}", .publish, "document.delete") { call throws(Refusal) in
            try call.write(call.path(), .delete)
        },
        AdminRoute("GET", "rules", .read, "rules.get") { call in .read(ReadRules(), call.actor) },
        AdminRoute("PUT", "rules", .operate, "rules.put") { call throws(Refusal) in
            .write(
                try PutRules(call.request.object(), ifVersion: call.request.ifVersion(), key: call.request.key()),
                call.actor)
        },
    ]
}

extension AdminCall {
    fileprivate func path() throws(Refusal) -> DocumentPath { try DocumentPath(value, field: "path") }

    fileprivate func write(
        _ path: DocumentPath, _ operation: DocumentWrite.Operation
    ) throws(Refusal) -> Route {
        try GuardedCollection.check(path, field: "path", for: request, at: door)
        var useCase = WriteDocuments(
            DocumentWrite(path: path, operation: operation, ifVersion: try request.ifVersion()), key: try request.key())
        useCase.chain = try request.chain()
        return .write(useCase, actor)
    }

    /// Collections below which lies the talk of people with each other.
    private static let conversations: Set<Substring> = ["chats", "recommendations"]

    /// An administrator reads everything; what people say to each other leaves a row in the audit.
    fileprivate func reading(_ useCase: some ReadUseCase, at path: String) -> Route {
        let isConversation = Self.conversations.contains(path.prefix { $0 != "/" })
        return isConversation ? .content(useCase, actor) : .read(useCase, actor)
    }

    fileprivate func listing() throws(Refusal) -> Route {
        let useCase = try listingUseCase()
        return reading(useCase, at: useCase.collection)
    }

    private func listingUseCase() throws(Refusal) -> ListDocuments {
        guard let text = query("collection") else {
            throw Refusal.badRequest(field: "collection", "is required: ?collection=people/525/credits")
        }
        let collection: String
        do {
            collection = try DocumentPath.collection(text)
        } catch {
            throw Refusal(.badRequest, error.message, field: "collection")
        }
        let after = try query("after", "the member next of an earlier page", Self.isDocumentID)
        return ListDocuments(collection: collection, after: after, limit: try request.limit())
    }

    private static func isDocumentID(_ text: String) -> Bool { (try? DocumentPath("c/" + text))?.levels.count == 1 }

    /// Everybody else reads what the rules open to anyone.
    fileprivate func openListing(_ claims: Claims?) throws(Refusal) -> Route {
        let useCase = try listingUseCase()
        return openRead(
            useCase, of: .collection(useCase.collection), weight: 1 + useCase.limit / Limits.rowsPerWeight, claims)
    }

    fileprivate func openDocument(_ claims: Claims?) throws(Refusal) -> Route {
        let path = try path()
        return openRead(ReadDocument(path), of: .document(path), weight: 1, claims)
    }

    private func openRead(
        _ useCase: some ReadUseCase, of path: WatchedPath, weight: Int, _ claims: Claims?
    ) -> Route {
        if claims == nil, let misdirected = Router.misdirection(request, door) { return .refused(misdirected) }
        return .openRead(OpenRead(useCase, of: path, weight: weight, claims))
    }
}
