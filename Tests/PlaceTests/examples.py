"""One worked example of each kind: everything that somebody writes who adds one. `run` fills the places in a copy of the tree, leaves
one out at a time, and wants a rule to name it. `run --build` builds and tests the whole of them. `Architecture.md` names the same places."""

from tree import Place

CONTRACT = "Sources/Words/ClientProtocol/"
PAGES = CONTRACT + "ClientProtocol.docc/"
ADMIN = "Sources/Doors/Admin/"
LIBRARY = "Sources/Device/WebLibrary/Files/"
STORE = "Sources/Log/Store/"
DECLARATIONS = "Sources/Subjects/PersonalData/Declarations/"
PERSONAL = "Sources/Subjects/Privacy/"
SERVER_TESTS = "Tests/Programs/ServerTests/"
CONTRACT_TESTS = "Tests/Words/ClientProtocolTests/"
SETTINGS = "Sources/Threads/Configuration/ServerConfiguration.swift"

COMMAND = [
    Place(CONTRACT + "Commands/TallyCommand.swift", '''\
/// Asks how many topics the user follows, and how many people the user blocks.
///
/// - Confinement: any
package struct TallyCommand: Command {
    package static let name = "tally"

    package init() {}

    package init(_ fields: Fields) {}
}
'''),
    Place(CONTRACT + "Commands/TallyCommand.swift", '''\
    package static let form = CommandForm([], ok: [.need("follows", .count), .need("blocked", .count)])
''', after='    package static let name = "tally"\n'),
    Place(CONTRACT + "Commands/CommandTable.swift", "        TallyCommand.self,\n", after="        BlocksCommand.self,\n"),
    Place("Sources/Subjects/Services/People/CountTies.swift", '''\
package import ClientProtocol
package import Execution
package import JSON
import Store

/// `tally`: how many topics the caller follows, and how many people the caller blocks.
///
/// - Confinement: any
package struct CountTies: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext) throws -> JSONObject {
        let (user, transaction) = (try context.user(), context.transaction)
        return [
            "follows": .integer(try transaction.follows.count(of: user.id)),
            "blocked": .integer(try transaction.blocks.count(of: user.id)),
        ]
    }
}

extension TallyCommand: AnsweredCommand {
    package var work: CommandWork { .read(CountTies()) }
}
'''),
    Place(PAGES + "Commands.md", '''\
### tally

How many topics the user follows, and how many people the user blocks. Reply: `follows`, `blocked`.

```
> {"id":52,"type":"tally"}
< {"re":52,"ok":{"follows":2,"blocked":1}}
```

''', before="### report\n"),
    Place(CONTRACT_TESTS + "Vocabulary.swift", '    CommandRow(["type": "tally"], TallyCommand(), []),\n', after='''\
        ["type": "blocks", "after": "17", "limit": 1], BlocksCommand(after: "17", limit: 1), [after, limit]),
'''),
    Place(SERVER_TESTS + "EveryCommandTests.swift", '''\
        #expect(try story.use(alice, ["type": "tally"])["blocked"] == 1)
''', after='        #expect(try story.use(alice, ["type": "blocks"])["users"] == ["carol"])\n'),
    Place(SERVER_TESTS + "RightsMatrixTests.swift", '''\
        Row("tally", "ok ok ok ok ok ok") { _ in [:] },
''', after='        Row("blocks", "ok ok ok ok ok ok") { _ in [:] },\n'),
    Place(LIBRARY + "watchwise.js", '''\
  /** How many topics the user follows, and how many people the user blocks. */
  tally() {
    return this.request({ type: "tally" });
  }

''', before="  report(user, { chat, n, category, reason } = {}) {\n"),
    Place(LIBRARY + "watchwise.d.ts", "  tally(): Promise<{ follows: number; blocked: number }>;\n",
          after="  unblock(user: string): WriteHandle;\n"),
    Place("Sources/Device/WatchWise/Words/WatchWise.swift", '''\
    /// How many topics the user follows, and how many people the user blocks.
    public func tally() async throws -> (follows: Int64, blocked: Int64) {
        let answer = try await device.request("tally", [:])
        return (answer["follows"]?.integerValue ?? 0, answer["blocked"]?.integerValue ?? 0)
    }

''', before="    /// Reports a person, perhaps because of a message, to the operator.\n"),
]

CALL = [
    Place(ADMIN + "Routes/FeedRoutes.swift", '''\
        AdminRoute(
            "POST", "feeds/{name}/again", .operate, "feed.again"
        ) { call throws(Refusal) in
            .write(RunFeed(name: call.value, configured: try call.desk().configuredNames, key: try call.request.key()))
        },
''', before='        AdminRoute(\n            "POST", "feeds/{name}/test", .operate, "feed.test",\n'),
    Place(ADMIN + "Routes/FeedRoutes.swift", '''\
,
            form: RouteForm(
                "Fetches a feed once more.", status: 202, [.need("name", .sentence), .need("started", .yes)])''',
          after='            "POST", "feeds/{name}/again", .operate, "feed.again"'),
    Place(ADMIN + "Admin.docc/HTTPInterface.md", '''\
| `POST /v1/feeds/NAME/again` | | as `run` | 404 |
''', before="| `POST /v1/feeds/NAME/test` |"),
    Place(SERVER_TESTS + "HandedRoutesTests.swift", '''\
        Write("POST", "/v1/feeds/films/again", "", key),
''', after='        Write("POST", "/v1/feeds/films/run", "", key),\n'),
]

EVENT = [
    Place("Sources/Words/Model/EventName.swift", ", waved", after="    case unread, typing, presence, live, reset, expiring, drain, bye, beat, documents, unwatched"),
    Place("Sources/Words/Model/EventName.swift", "        case .waved: false\n", before="        case .unread, .typing, .presence,"),
    Place(CONTRACT + "Events/Event+Inbox.swift", '''\
    /// Somebody waves at the user.
    package static func waved(by user: UserID) -> EncodedEvent {
        ephemeral(.waved) { $0.member("user", user.text) }
    }

''', before="    /// The user's preferences were changed on some device.\n"),
    Place(CONTRACT + "Description/EventForms.swift", "        case .waved: [user]\n", before="        case .live: [seq]\n"),
    Place(PAGES + "Events.md", '''\
### waved

Somebody waves at the user. Members: `user`.

```
{"type":"waved","user":"bob"}
```

''', before="### beat\n"),
    Place(PAGES + "Events.md", ", `waved`", after="`bye`, `documents`, `unwatched`"),
    Place(CONTRACT_TESTS + "EventTests.swift", '''\
            Example(.waved, Event.waved(by: cast.bob), #"{"type":"waved","user":"bob"}"#),
''', before='''\
            Example(
                .notification,
                Event.notification(seq: cast.seq, cast.notification),
'''),
    Place("Sources/Programs/watchwise/Listening/EventLine.swift", '''\
        case .waved: return "\\(says("user")) waves"
''', before='        case .unwatched: return says("path") + bracketed(says("reason"))\n'),
    Place(LIBRARY + "session.js", ', "waved"', after='"drain", "documents", "unwatched"'),
]

SETTING = [
    Place(SETTINGS, "    /// Shown to those who ask who this is.\n    package var greeting = \"hello\"\n", after="    package var hasEcho = false\n"),
    Place(SETTINGS, '''\
            Setting(
                "greeting", \\.greeting, .text("must be a text of 1 to 80 characters") { 1...80 ~= $0.count },
                value: "text", example: "good day", help: "Text for those who ask who this is."),
''', before='            Setting(\n                "debug-echo", \\.hasEcho'),
    Place("deploy/README.md", '''\
| `--greeting <text>` | `WATCHWISE_GREETING` | `greeting` | hello | Text for those who ask who this is. |
''', before="| `--debug-echo` |"),
    Place("Tests/Threads/ConfigurationTests/ConfigurationLayersTests.swift", '''\
        SettingTrial(
            key: "greeting", file: #"{"greeting": "a"}"#, variable: "b", flag: ["c"], values: ["a", "b", "c"]
        ) { $0.greeting },
''', before='        SettingTrial(\n            key: "debug-echo"'),
]

METRIC = [
    Place("Sources/Threads/Telemetry/Metrics.swift", '''\
    package let greetings = Metric(counter: "greetings_total", "Times that somebody asked who this is.")
''', after='    package let exports = Metric(counter: "exports_total", "Exports of a user\'s data that were begun.")\n'),
    Place("Sources/Threads/Telemetry/Metrics.swift", "            greetings.row,\n", before="            exports.row, feedRequests.row"),
    Place("deploy/Metrics.md", "| `watchwise_greetings_total` | counter | Times that somebody asked who this is. |\n",
          before="| `watchwise_held_bytes` |"),
]

TABLE = [
    Place(STORE + "Schema/GreetingSchema.swift", '''\
import Log

/// Greetings between people, and what they are about.
///
/// - Confinement: any
enum GreetingSchema {
    /// A person has greeted another one.
    static let greetings = Migration.table(
        .greetings,
        """
        user INTEGER NOT NULL,
        other INTEGER NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY(user, other)
        """)

    /// When a topic was greeted last.
    static let topics = Migration.table(
        .greetedTopics,
        """
        topic TEXT PRIMARY KEY,
        at INTEGER NOT NULL
        """)
}
'''),
    Place(STORE + "Schema/Schema.swift", '        Migration("42 greetings", GreetingSchema.greetings, GreetingSchema.topics),\n',
          after='        Migration("41 kept refusals", "ALTER TABLE keys ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;"),\n'),
    # The declarations: the erasure takes the rows of both people, and those of a topic that is the person's; the export shows one side.
    Place(STORE + "Schema/TableName.swift", '    case greetings\n    case greetedTopics = "greeted_topics"\n', before="    case rooms, seen\n"),
    Place(DECLARATIONS + "DeclaredTables.swift", '''\
        case .greetings: GreetingTables.greetings
        case .greetedTopics: GreetingTables.topics
''', before="        case .audit: ModerationTables.audit\n"),
    Place(DECLARATIONS + "GreetingTables.swift", '''\
/// The tables of greetings.
///
/// - Confinement: any
enum GreetingTables {
    static let greetings = TableDeclaration(
        key: ["user", "other"],
        [.person("user", .rowGoes("greeting")), .person("other", .rowGoes("greeting")), .numbers("at")],
        export: .lines([lines]), kept: .swept("GreetingTable.forget deletes those of some age"))

    static let topics = TableDeclaration(
        key: ["topic"], [.trace("topic", .topic), .numbers("at")],
        traces: .rowGoes, export: .omitted("what others greeted"), kept: .swept("GreetingTable.forget, too"))

    private static let lines = ExportedLines(
        "greeting", place: "users.name", "'user', users.name, 'at', \\(ExportedLines.time("greetings.at"))",
        from: "greetings JOIN users ON users.id = greetings.other", of: "greetings.user = ?1")
}
'''),
    Place(STORE + "GreetingTable.swift", '''\
package import Log
package import Model

/// Greetings between people.
///
/// - Confinement: store
package struct GreetingTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// When a user has greeted another one last; nil when it was never.
    package func last(of other: StreamID, by user: StreamID) throws -> Timestamp? {
        try access.value("SELECT at FROM greetings WHERE user = ? AND other = ?", [user.value, other.value])
    }
}

extension GreetingTable where Access == WriteAccess {
    package func put(_ other: StreamID, by user: StreamID, about topic: Topic, at now: Timestamp) throws {
        try access.run(
            "INSERT OR REPLACE INTO greetings(user, other, at) VALUES (?, ?, ?)",
            [user.value, other.value, now.milliseconds])
        try access.run(
            "INSERT OR REPLACE INTO greeted_topics(topic, at) VALUES (?, ?)", [topic.text, now.milliseconds])
    }
}
'''),
    Place(STORE + "GreetingTable+Sweeping.swift", '''\
import Log
package import Model

extension GreetingTable where Access == WriteAccess {
    /// Forgets at most `limit` greetings, and as many topics, from before a time.
    ///
    /// - Returns: how many there were.
    package func forget(before time: Timestamp, limit: Int) throws -> Int {
        let greetings = try access.change(
            """
            DELETE FROM greetings WHERE (user, other) IN
            (SELECT user, other FROM greetings WHERE at < ? ORDER BY at, user, other LIMIT ?)
            """,
            [time.milliseconds, limit])
        return try greetings
            + access.change(
                """
                DELETE FROM greeted_topics WHERE topic IN
                (SELECT topic FROM greeted_topics WHERE at < ? ORDER BY at, topic LIMIT ?)
                """,
                [time.milliseconds, limit])
    }
}
'''),
    Place(STORE + "Tables+Subjects.swift", "    package var greetings: GreetingTable<Access> { GreetingTable(access: access) }\n",
          after="    package var follows: FollowTable<Access> { FollowTable(access: access) }\n"),
    Place(STORE + "Store.docc/Store.md", '''\
| `greetings`, `greeted_topics` | a user who has greeted another one; when a topic was greeted last | user and other; topic |
''', before="| `withheld` |"),
    # The export.
    Place("Sources/Subjects/Privacy/Privacy.docc/Erasure.md", "| `greeting` | whom the user has greeted, and when |\n",
          before="| `room` | each room"),
    Place("Tests/Log/StoreTests/GreetingTableTests.swift", '''\
import Model
import Store
import StoreTestSupport
import TestSupport
import Testing

struct GreetingTableTests {
    @Test func `a greeting is there until it is too old`() throws {
        let store = try TestStore()
        let (alice, bob) = (StreamID(stored: 2), StreamID(stored: 3))
        let time = Timestamp(milliseconds: 1000)
        let topic = try #require(Topic("movie:603"))
        try store.write { try $0.greetings.put(bob, by: alice, about: topic, at: time) }
        #expect(try store.read { try $0.greetings.last(of: bob, by: alice) } == time)
        #expect(try store.write { try $0.greetings.forget(before: time, limit: 9) } == 0)
        #expect(try store.write { try $0.greetings.forget(before: time.adding(milliseconds: 1), limit: 9) } == 2)
    }
}
'''),
]

PAGE = [
    Place(STORE + "Store.docc/Greetings.md", "# Greetings\n\nWhat a greeting is.\n"),
    Place(STORE + "Store.docc/Store.md", "- <doc:Greetings>\n", before="### The types to begin with\n"),
]

EXAMPLES = {
    "a command": COMMAND, "a call of the admin API": CALL, "an event": EVENT, "a setting": SETTING, "a table": TABLE,
    "a metric": METRIC, "a page": PAGE,
}

# What is there already when somebody forgets something else: without it there is nothing that could lack a place.
SEEDS = {
    COMMAND[0], CALL[0], EVENT[0], SETTING[0], SETTING[1], TABLE[0], METRIC[0], PAGE[0],
}

# Places that the compiler names, since a switch or a name has to have them. No rule is needed.
COMPILED = {
    TABLE[2]: "the migration names its tables",
    TABLE[3]: "the switch of the declarations has each case",
    TABLE[4]: "the switch of the declarations names its declaration",
    TABLE[5]: "Tables has its property",
    EVENT[1]: "the switch of isDurable has each case",
}
