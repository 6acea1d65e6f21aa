import Authentication
import ClientProtocol
import Execution
import Model
import Services
import TriggerExecution
import Wire

/// `/v1/documents…` and `/v1/rules`.
///
/// - Confinement: any
enum DocumentRoutes {
    /// The id of a document in its collection, which has two parts for a product.
    private static let documentID = ValueForm.text(
        1...(DocumentLimits.pathBytesMax - 2), pattern: "^((\(prefixes))/)?[A-Za-z0-9_@:~-][A-Za-z0-9_.@:~-]*$")
    private static let prefixes = DocumentLimits.compoundIDPrefixes.sorted().joined(separator: "|")
    /// Patterns of paths, and who may read and write there: one word, or words for each.
    private static let rules = ValueForm.named(
        .either([words, .object([.may("read", words), .may("write", words)])]))
    private static let words = ValueForm.either([.sentence, .list(.sentence)])
    private static let version = ValueForm.Member.may(
        "ifVersion", .integer(0...Int64.max), "The version that must be there; 0 for no document.")
    private static let document: [ValueForm.Member] = [
        .need("path", .sentence), .need("version", .count), .need("seq", .position), .may("data", .data),
    ]
    private static let written: [ValueForm.Member] = [
        .need("path", .sentence), .need("version", .count), .need("seq", .position),
        .need("triggers", .list(TriggerAnswers.effect), "The triggers of the path, and what each did."),
        .may("unmet", .count, "Triggers whose condition was not true."), .may("warnings", .list(.sentence)),
        .may("topic", .topic, "Where the document is a follow."),
    ]
    private static let chain = ValueForm.Member.may(
        TriggerChain.headerName, .text(1...512, pattern: "^[a-z0-9-]{1,64}(,[a-z0-9-]{1,64}){0,3}$"),
        "The triggers through which the write came about, as a webhook bore it.")

    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "documents", .read, "document.list", details: ["collection"],
            form: RouteForm(
                "The documents of a collection, in the order of their ids.",
                query: [
                    .need(
                        "collection",
                        .text(
                            1...1024,
                            pattern: "^[A-Za-z0-9_.@:-]{1,64}(/[A-Za-z0-9_.@:-]{1,64}/[A-Za-z0-9_.@:-]{1,64}){0,3}$")),
                    .may("after", documentID, "The member next of an earlier page."), .limit,
                ], [.need("documents", .list(.object(document))), .next]),
            open: { call, claims throws(Refusal) in try call.openListing(claims) }
        ) { call throws(Refusal) in try call.listing() },
        AdminRoute(
            "POST", "documents", .publish, "document.batch", bodyBytesMax: Limits.requestBodyBytesMax,
            form: RouteForm(
                "Writes many documents in one commit: all or none.", head: [chain],
                body: .object(
                    [
                        .need(
                            "writes",
                            .list(
                                .either([
                                    .object(
                                        [
                                            .need("op", .words(["put", "patch"])), .need("path", .plainPath),
                                            .need("data", .data), version,
                                        ]),
                                    .object([
                                        .need("op", .words(["delete"])), .need("path", .plainPath), version,
                                    ]),
                                ]), 1...DocumentLimits.batchMax))
                    ]), [.need("documents", .list(.object(written)))])
        ) { call throws(Refusal) in
            let writes = try BatchBody(call.request.object()).writes
            for (index, write) in writes.enumerated() {
                try GuardedCollection.check(
                    write.path, field: "writes[\(index)].path", for: call.request, at: call.door)
            }
            var useCase = WriteDocuments(batch: writes, key: try call.request.key())
            useCase.chain = try call.request.chain()
            return .write(useCase)
        },
        AdminRoute(
            "GET", "documents/{path…}", .read, "document.get",
            form: RouteForm(
                "One document.",
                head: [
                    .may("If-None-Match", .sentence, "The ETag of a copy, or several: 304 when it is still the same.")
                ],
                hasVersion: true, .members(document)),
            open: { call, claims throws(Refusal) in try call.openDocument(claims) }
        ) { call throws(Refusal) in
            let path = try call.path()
            return call.reading(ReadDocument(path), at: path.text)
        },
        AdminRoute(
            "PUT", "documents/{path…}", .publish, "document.put",
            form: RouteForm(
                "Writes a document, in place of the one that is there.", query: [version], head: [chain],
                body: .json(.data), isGuarded: true, hasVersion: true, .members(written))
        ) { call throws(Refusal) in
            let path = try call.path()
            return try call.write(path, .put(call.request.object()))
        },
        AdminRoute(
            "PATCH", "documents/{path…}", .publish, "document.patch",
            form: RouteForm(
                "Changes a document by a merge patch (RFC 7396).", query: [version], head: [chain], body: .json(.data),
                isGuarded: true, hasVersion: true, .members(written))
        ) { call throws(Refusal) in
            let path = try call.path()
            return try call.write(path, .patch(call.request.object()))
        },
        AdminRoute(
            "DELETE", "documents/{path…}", .publish, "document.delete",
            form: RouteForm(
                "Deletes a document.", query: [version], head: [chain], isGuarded: true, hasVersion: true,
                .members(written))
        ) { call throws(Refusal) in try call.write(call.path(), .delete) },
        AdminRoute(
            "GET", "rules", .read, "rules.get",
            form: RouteForm("The table of access rules.", [.need("version", .count), .need("rules", rules)])
        ) { call in .read(ReadRules()) },
        AdminRoute(
            "PUT", "rules", .operate, "rules.put",
            form: RouteForm(
                "Puts another table of access rules in place.", query: [version],
                body: .object([.need("rules", rules)]), isGuarded: true,
                [.need("version", .count), .need("seq", .position)])
        ) { call throws(Refusal) in
            .write(try PutRules(call.request.object(), ifVersion: call.request.ifVersion(), key: call.request.key()))
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
        return .write(useCase)
    }

    /// Collections below which lies the talk of people with each other.
    private static let conversations: Set<Substring> = ["chats", "recommendations"]

    /// An administrator reads everything; what people say to each other leaves a row in the audit.
    fileprivate func reading(_ useCase: some ReadUseCase, at path: String) -> Route {
        let isConversation = Self.conversations.contains(path.prefix { $0 != "/" })
        return isConversation ? .content(useCase) : .read(useCase)
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
        if claims == nil, let misdirected = request.misdirection(at: door) { return .refused(misdirected) }
        return .openRead(OpenRead(useCase, of: path, weight: weight, claims))
    }
}
