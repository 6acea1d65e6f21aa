import ArgumentParser
import Testing

@testable import watchwise

/// Command lines that are mistyped: none does anything, and each says what to type.
struct MeantCommandTests {
    /// A line, and the command that is named.
    private static let words = [
        ("stat", "watchwise stats"), ("Stats", "watchwise stats"), ("statss", "watchwise stats"),
        ("status", "watchwise stats"), ("health", "watchwise ready"), ("redy", "watchwise ready"),
        ("serv", "watchwise serve"), ("start", "watchwise serve"), ("brodcast Hi", "watchwise broadcast"),
        ("broadcsat Hi", "watchwise broadcast"), ("tokens alice", "watchwise token"), ("secrt", "watchwise secret"),
        ("dmeo", "watchwise demo"), ("back-up f", "watchwise backup"), ("dump f", "watchwise backup"),
        ("restor f", "watchwise restore"), ("clusters", "watchwise cluster"), ("triggers list", "watchwise trigger"),
        ("webhook list", "watchwise webhooks"), ("feed list", "watchwise feeds"), ("pusch devices", "watchwise push"),
        ("lst films", "watchwise list"), ("ls films", "watchwise list"), ("gte films/1", "watchwise get"),
        ("rm films/1", "watchwise delete"), ("remove films/1", "watchwise delete"),
        ("pacth films/1 {}", "watchwise patch"),
        ("rule", "watchwise rules"), ("revok x", "watchwise revoke"), ("un-revoke x", "watchwise unrevoke"),
        ("ban alice", "watchwise kick"), ("users", "watchwise user"), ("room", "watchwise rooms"),
        ("report", "watchwise reports"), ("lisen alice", "watchwise listen"), ("explian n1", "watchwise explain"),
        ("audits", "watchwise audit"), ("log", "watchwise audit"), ("confg show", "watchwise config"),
        ("setings", "watchwise settings"), ("trigger get x", "watchwise trigger show"),
        ("trigger rm x", "watchwise trigger delete"), ("trigger add x", "watchwise trigger put"),
        ("trigger tst x", "watchwise trigger test"), ("user sho alice", "watchwise user show"),
        ("user eraze alice", "watchwise user erase"), ("cluster stauts", "watchwise cluster status"),
        ("cluster intit", "watchwise cluster init"), ("dead ls", "watchwise dead list"),
        ("feeds tset f", "watchwise feeds test"), ("backups mak", "watchwise backups make"),
        ("config shwo", "watchwise config show"), ("config exmaple", "watchwise config example"),
    ]
    /// A line, and the words that its error has.
    private static let options = [
        ("serve --lisen :80", "--listen"), ("serve --backup-too d", "--backup-to"),
        ("serve --log-levle info", "--log-level"),
        ("stats --jsn", "--json"), ("token alice --amdin", "--admin"), ("ready --wiat 3", "--wait"),
        ("backup", "<file>"), ("get", "<path>"), ("put a", "<json>"), ("token", "<user>"),
    ]

    private static func arguments(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

    @Test(arguments: words)
    func `a word that is not a command is answered with the one that it is like`(_ line: String, _ meant: String) {
        #expect(throws: (any Error).self) { try Watchwise.parseAsRoot(Self.arguments(line)) }
        let sentence = MeantCommand.sentence(for: Self.arguments(line), of: Watchwise.self)
        #expect(sentence?.hasSuffix("Did you mean '\(meant)'?") == true, "\(sentence ?? "nothing")")
    }

    @Test(arguments: options)
    func `an option that is mistyped, or an argument that lacks, is named`(_ line: String, _ named: String) {
        do {
            _ = try Watchwise.parseAsRoot(Self.arguments(line))
            Issue.record("it is understood")
        } catch {
            #expect(Watchwise.fullMessage(for: error).contains(named))
        }
        #expect(MeantCommand.sentence(for: Self.arguments(line), of: Watchwise.self) == nil)
    }

    @Test func `a word that is like none is answered with the place of the list, and a command with nothing`() {
        #expect(
            MeantCommand.sentence(for: ["frobnicate"], of: Watchwise.self)
                == "there is no command 'watchwise frobnicate'. 'watchwise --help' lists those that there are")
        for line in ["stats", "trigger list", "get films/1", "help stats", "user show alice", "--help"] {
            #expect(MeantCommand.sentence(for: Self.arguments(line), of: Watchwise.self) == nil, "\(line)")
        }
    }
}
