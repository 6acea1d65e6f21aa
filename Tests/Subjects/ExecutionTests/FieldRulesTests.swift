import ClientProtocol
import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

/// Rules with more than a path: with a field of the document, or a role.
struct FieldRulesTests {
    private static let table: JSONObject = [
        "reviews/{id}": ["read": "public", "write": ["field:author", "role:moderator"]],
        "notes/{id}": "field:author",
        "lists/{id}": ["read": "field:members", "write": ["field:author", "field:members"]],
        "loans/{id}": ["read": ["field:member", "role:librarian"]],
        "stations/{id}": ["read": ["followers", "role:librarian"]],
    ]

    private let house: House

    init() throws {
        house = try House()
        try house.write(PutRules(["rules": .object(Self.table)], ifVersion: nil, key: nil), by: "admin")
        for name in ["alice", "bob"] { _ = try house.actor(name) }
    }

    @discardableResult
    private func write(
        _ name: String, _ path: String, _ operation: DocumentWrite.Operation, ifVersion: Int64? = nil
    ) throws -> JSONValue {
        let write = DocumentWrite(path: try DocumentPath(path), operation: operation, ifVersion: ifVersion)
        return try house.write(WriteDocuments(write, key: house.key()), by: name)
    }

    private func refused(
        _ name: String, _ path: String, _ operation: DocumentWrite.Operation, ifVersion: Int64? = nil
    ) throws -> Refusal {
        try house.refusal { try write(name, path, operation, ifVersion: ifVersion) }
    }

    private func read(_ name: String, _ path: String) throws -> JSONValue {
        try house.read(ReadDocument(DocumentPath(path)), by: name)
    }

    private func canRead(_ name: String, _ path: String) throws -> Bool {
        do {
            _ = try read(name, path)
            return true
        } catch let refusal as Refusal {
            #expect(refusal == Refusal(.notFound, "there is no document \(path) that you may read", field: "path"))
            return false
        }
    }

    @Test func `a create must carry the field with the writer's id`() throws {
        for data: JSONObject in [["author": "bob"], [:], ["author": 5], ["author": nil], ["author": ["bob"]]] {
            let refusal = try refused("alice", "reviews/1", .put(data))
            #expect(refusal.code == .forbidden)
            #expect(refusal.field == "data.author")
        }
        #expect(try refused("alice", "reviews/1", .patch(["text": "!"])).code == .forbidden)
        #expect(try write("alice", "reviews/1", .put(["author": "alice"]))["version"] == 1)
        #expect(try write("alice", "reviews/2", .patch(["author": ["alice", "bob"]]))["version"] == 1)
    }

    @Test func `nobody takes another's document, gives one away, or deletes it`() throws {
        try write("alice", "reviews/1", .put(["author": "alice", "text": "A"]))
        let theft: [DocumentWrite.Operation] = [
            .put(["author": "bob"]), .put(["author": "alice"]), .patch(["author": "bob"]), .patch(["text": "B"]),
            .delete,
        ]
        for operation in theft {
            let refusal = try refused("bob", "reviews/1", operation)
            #expect(refusal.code == .forbidden)
            #expect(refusal.field == "path")
        }
        for gift: DocumentWrite.Operation in [
            .put(["author": "bob"]), .patch(["author": "bob"]), .patch(["author": nil]),
        ] {
            #expect(try refused("alice", "reviews/1", gift).field == "data.author")
        }
        #expect(try write("alice", "reviews/1", .patch(["text": "C"]))["version"] == 2)
        #expect(try write("alice", "reviews/1", .delete)["version"] == 3)
        #expect(try refused("alice", "reviews/1", .delete).code == .notFound)
        #expect(try write("bob", "reviews/1", .put(["author": "bob"]))["version"] == 4)
    }

    @Test func `a conflict tells nothing of another's document`() throws {
        try write("alice", "notes/1", .put(["author": "alice", "text": "secret"]))
        for version: Int64 in [0, 1, 7] {
            let refusal = try refused("bob", "notes/1", .put(["author": "bob"]), ifVersion: version)
            #expect(refusal.code == .forbidden)
            #expect(refusal.found == nil)
        }
        #expect(try refused("alice", "notes/1", .put(["author": "alice"]), ifVersion: 0).code == .conflict)
    }

    @Test func `in a list of users each may write, and none may take what names another alone`() throws {
        try write("alice", "lists/1", .put(["author": "alice", "members": ["alice", "bob"]]))
        #expect(try write("bob", "lists/1", .patch(["title": "Noir"]))["version"] == 2)
        #expect(try refused("bob", "lists/1", .patch(["author": "bob"])).field == "data.author")
        #expect(try refused("bob", "lists/1", .patch(["author": nil])).field == "data.author")
        #expect(try refused("bob", "lists/2", .put(["author": "alice", "members": ["bob"]])).field == "data.author")
        #expect(try refused("bob", "lists/2", .put(["members": ["alice"]])).field == "data.author")
        try write("alice", "lists/1", .patch(["members": ["alice"]]))
        #expect(try refused("bob", "lists/1", .patch(["title": "Mine"])).field == "path")
    }

    @Test func `a document that a field or a role opens is read by the named user, and is not there for the others`()
        throws
    {
        try house.put("loans/1", ["member": "alice"])
        #expect(try canRead("alice", "loans/1"))
        #expect(try !canRead("bob", "loans/1"))
        #expect(try !canRead("alice", "loans/2"))
        try house.put("loans/1", ["member": "bob"])
        #expect(try !canRead("alice", "loans/1"))
        try house.put("roles/librarian/users/alice", [:])
        #expect(try canRead("alice", "loans/1"))
        #expect(try !canRead("alice", "loans/2"))
        try house.delete("roles/librarian/users/alice")
        #expect(try !canRead("alice", "loans/1"))
    }

    @Test func `a user with a role writes the documents of others, as long as the user has the role`() throws {
        try write("alice", "reviews/1", .put(["author": "alice"]))
        #expect(try refused("bob", "reviews/1", .patch(["hidden": true])).code == .forbidden)
        try house.put("roles/moderator/users/bob", [:])
        #expect(try write("bob", "reviews/1", .patch(["hidden": true]))["version"] == 2)
        try house.delete("roles/moderator/users/bob")
        #expect(try refused("bob", "reviews/1", .delete).code == .forbidden)
        #expect(try refused("bob", "roles/moderator/users/bob", .put([:])).code == .forbidden)
    }

    @Test func `a role of the token opens what the role's document opens, and nothing else`() throws {
        try house.put("loans/1", ["member": "bob"])
        try write("bob", "reviews/1", .put(["author": "bob"]))
        let (librarian, moderator) = try (#require(RoleName("librarian")), #require(RoleName("moderator")))
        let hiding = DocumentWrite(
            path: try DocumentPath("reviews/1"), operation: .patch(["hidden": true]), ifVersion: nil)
        let alice = try house.entry("alice")
        func read(_ roles: Set<RoleName>) throws -> JSONValue {
            try house.read(ReadDocument(DocumentPath("loans/1")), as: .user(alice.id, alice.name, roles: roles))
        }
        func hide(_ roles: Set<RoleName>) throws -> JSONValue {
            try house.commit(WriteDocuments(hiding, key: house.key()), by: .user(alice.id, alice.name, roles: roles))
        }
        #expect(try read([librarian])["data"] == ["member": "bob"])
        #expect(throws: Refusal.self) { _ = try read([moderator]) }
        #expect(try hide([librarian, moderator])["version"] == 2)
        #expect(try house.refusal { try hide([librarian]) }.code == .forbidden)
    }

    @Test func `a document that is open to anyone is open to every user, and a collection only as a whole`() throws {
        let rules = try AccessRules([
            "shows/{id}": "anyone", "pages/{id}": ["read": ["anyone", "public"], "write": "role:editor"],
            "pages/draft": "public", "notes/{id}/**": "anyone", "users/{user}": "owner",
        ])
        let alice = try user("alice")
        for (text, isOpen) in [
            ("shows/1", true), ("pages/1", true), ("pages/draft", false), ("users/alice", false), ("none/1", false),
            ("notes/1/a/2", true), ("notes/1", false), ("chats/a:b/messages/1", false),
            ("shows/1/followers/alice", false),
        ] {
            let path = WatchedPath.document(try DocumentPath(text))
            #expect(rules.isOpen(path) == isOpen, "\(text)")
            if isOpen { #expect(rules.grant(of: path, to: alice, TopicCollections()) == .always) }
        }
        #expect(rules.writeGrant(of: try DocumentPath("shows/1"), to: alice) == nil)
        #expect(rules.isOpen(.collection("shows")))
        #expect(!rules.isOpen(.collection("pages")))
        #expect(!rules.isOpen(.collection("users")))
    }

    @Test func `a document that only a field or a role opens cannot be watched, and the answer says why`() throws {
        let rules = try AccessRules(Self.table)
        func grant(_ path: WatchedPath) throws -> ReadGrant? {
            rules.grant(of: path, to: try user("alice"), TopicCollections())
        }
        #expect(try grant(.collection("loans")) != nil)
        #expect(try grant(.collection("loans"))?.forWatching == nil)
        #expect(try grant(.document(DocumentPath("loans/1")))?.forWatching == nil)
        #expect(try grant(.collection("reviews")) == .always)
        let station = try grant(.document(DocumentPath("stations/1")))
        #expect(station?.forWatching == .whileFollowing(try topic("station:1")))
        #expect(try grant(.collection("stations"))?.forWatching == nil)
    }

    @Test func `a collection is watched only where every document of its own rule allows it, too`() throws {
        let rules = try AccessRules([
            "items/{id}": "public", "items/secret": "field:owner", "things/{id}": "field:owner",
            "things/open": "public",
        ])
        for path in ["items", "things"] {
            let grant = rules.grant(of: .collection(path), to: try user("alice"), TopicCollections())
            #expect(grant != nil)
            #expect(grant?.forWatching == nil)
        }
    }

    @Test(
        arguments: [
            (["a/{x}": "field:"], "a/{x}"), (["a/{x}": "role:"], "a/{x}"), (["a/{x}": "field:a.b"], "a/{x}"),
            (["a/{x}": ["read": "field:a b"]], "a/{x}.read"), (["a/{x}": ["write": "role:a/b"]], "a/{x}.write"),
            (["a/{x}": ["write": ["field:ok", "followers"]]], "a/{x}.write"),
            (["a/{x}": ["write": "public"]], "a/{x}.write"), (["a/{x}": ["write": "anyone"]], "a/{x}.write"),
            (["a/{x}": "fields:author"], "a/{x}"),
            (["a/{x}": "role:r", "roles/{r}/users/{user}": "owner"], "roles"),
            (["a/{x}": ["read": "role:r"], "roles/**": "public", "roles/{r}/**": ["write": "field:me"]], "roles/**"),
            (["a/{x}": ["read": "role:r"], "roles/{r}/**": ["write": "field:me"]], "roles"),
        ] as [(JSONObject, String)]
    )
    func `a bad word is refused with the column it stands in`(table: JSONObject, field: String) throws {
        let problem = try #require(throws: AccessProblem.self) { _ = try AccessRules(table) }
        #expect(problem.field == field)
        #expect(!problem.message.isEmpty)
    }
}
