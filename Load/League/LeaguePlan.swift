import Client
import JSON
import Model

/// The plan of a league: matches of two teams each; every fan follows teams and matches.
struct LeaguePlan: Sendable {
    let fans: Int
    let matches: Int
    let loops: Int
    let server: ServerAddress
    let mint: TokenMint

    static let trigger = "league-goal"

    /// The trigger for a goal: its audience is a list, so that a fan of both teams is notified once. The notification
    /// of a corrected goal replaces the earlier one and does not interrupt again.
    static let row: JSONValue = [
        "name": .string(trigger), "event": "write", "path": "goals/{goal}", "condition": "after IS NOT NULL",
        "audience": ["followers:team:{after.home}", "followers:team:{after.away}", "followers:match:{after.match}"],
        "kind": "goal", "collapse": "goal:{{goal}}", "alertOnce": true, "withdraw": "after IS NULL",
        "title": [
            "en": "{{after.home}} – {{after.away}} {{after.score}}", "it": "Gol: {{after.home}} – {{after.away}}",
            "pl": "Gol: {{after.home}} – {{after.away}}",
        ],
        "data": ["goal": "{{goal}}", "match": "{{after.match}}", "sent": "{{after.sent}}"],
    ]

    func user(_ fan: Int) -> UserID? { UserID("fan-\(fan)") }

    static func home(of match: Int) -> String { "t\(2 * match)" }
    static func away(of match: Int) -> String { "t\(2 * match + 1)" }

    /// The topics whose followers are notified of a goal, in the order of the row.
    static func topics(of match: Int) -> [String] {
        ["team:\(home(of: match))", "team:\(away(of: match))", "match:m\(match)"]
    }

    /// The three topics that a fan follows, teams and matches. Of five fans, one follows both teams of a match, one a
    /// team and its match, one both teams and their match, and two follow three different matches.
    func topics(of fan: Int) -> [String] {
        let first = fan % matches
        let second = (fan * 7 + fan / matches + 1) % matches
        let third = (fan * 3 + fan / matches + 2) % matches
        return switch fan % 5 {
        case 1: ["team:\(Self.home(of: first))", "team:\(Self.away(of: first))", "match:m\(second)"]
        case 2: ["team:\(Self.home(of: first))", "team:\(Self.away(of: second))", "match:m\(first)"]
        case 3: Self.topics(of: first)
        default: ["team:\(Self.away(of: first))", "team:\(Self.home(of: second))", "match:m\(third)"]
        }
    }

    /// The matches whose goals a fan must get.
    func matches(of fan: Int) -> Set<Int> {
        let topics = Set(topics(of: fan))
        let candidates = [
            fan % matches, (fan * 7 + fan / matches + 1) % matches, (fan * 3 + fan / matches + 2) % matches,
        ]
        return Set(candidates.filter { !topics.isDisjoint(with: Self.topics(of: $0)) })
    }

    /// The deliveries that one goal in each match causes.
    var owed: Int { (0..<fans).reduce(0) { $0 + matches(of: $1).count } }

    /// The follows of all fans, as writes of documents.
    var follows: [JSONValue] {
        (0..<fans).flatMap { fan in
            topics(of: fan).map { topic in
                let parts = topic.split(separator: ":")
                let plural = parts[0] == "team" ? "teams" : "matches"
                return ["op": "put", "path": .string("\(plural)/\(parts[1])/followers/fan-\(fan)"), "data": [:]]
            }
        }
    }

    /// A goal as a document.
    ///
    /// - Parameter round: Distinguishes the goals of a match.
    static func goal(_ match: Int, round: String, score: String, sent: Int64) -> (path: String, data: JSONValue) {
        (
            "goals/m\(match)-\(round)",
            [
                "match": .string("m\(match)"), "home": .string(home(of: match)), "away": .string(away(of: match)),
                "score": .string(score), "sent": .string(String(sent)),
            ]
        )
    }
}
