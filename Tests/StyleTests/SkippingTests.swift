import Foundation
import Testing

/// Nothing is green by itself: what may be skipped is listed here, and what proves nothing says that it failed.
struct SkippingTests {
    private static let openssl = "deploy/prepare installs the openssl command line"
    private static let journal = "Tests/JournalTrials/fetch-nats"
    private static let root = "CI runs as root"

    /// The conditions under which Swift tests run, each with what makes it true where all of them must run.
    private static let allowed: [String: String] = [
        "ServerProcess.binary != nil": "swift build --build-tests",
        "SimulationProgram.binary != nil": "swift build --build-tests",
        "Certificates.made != nil": openssl,
        "TestAuthority.made != nil": openssl,
        "OpenSSL.isThere": openssl,
        "NATSServers.isInstalled": journal,
        "JournalServers.isInstalled": journal,
        "ProviderFake.isInstalled": "Tests/PushProviders/run --install",
        "ProviderFake.isInstalled && TestAuthority.made != nil && Certificates.made != nil":
            "Tests/PushProviders/run --install, and \(openssl)",
        "geteuid() == 0": root,
        "ServerProcess.canBeAnother": root,
        "unsafe getenv(\"WATCHWISE_SANITIZER\") == nil": "it is set where a sanitizer takes memory of its own",
        "chosen == nil": "WATCHWISE_JOURNAL_SEED is for people",
        "chosen != nil": "WATCHWISE_JOURNAL_SEED is for people: this one shows a seed to them",
    ]

    /// The conditions of the traits of a text.
    static func conditions(in text: String) -> [String] {
        text.matches(of: /\.enabled\(\s*if:\s*/).map { trait in
            var depth = 0
            let condition = text[trait.range.upperBound...].prefix { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth >= 0 && !(depth == 0 && character == ",")
            }
            return String(condition)
        }
    }

    @Test func `Swift tests are skipped for the reasons of the list alone`() {
        var unknown: [String] = []
        for file in Repository.current.files where !file.path.hasSuffix("/SkippingTests.swift") {
            let text = file.lines.joined(separator: "\n")
            for condition in Self.conditions(in: text) where Self.allowed[condition] == nil {
                unknown.append("\(file.path): \(condition)")
            }
            if text.contains(".disabled(") { unknown.append("\(file.path): .disabled") }
        }
        #expect(unknown == [], "make the test run everywhere, or say here what makes its condition true")
    }

    @Test func `a condition ends with its trait or before its comment`() {
        let text =
            "@Test(.enabled(if: a(1, 2) == b, \"why\"), arguments: x)\n@Suite(.serialized, .enabled(\n    if: c != nil))"
        #expect(Self.conditions(in: text) == ["a(1, 2) == b", "c != nil"])
    }

    @Test func `no program counts as fine what proved nothing`() throws {
        var found: [String] = []
        for folder in ["Tests", "deploy", ".ci"] {
            let root = Repository.current.root
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            for name in names?.compactMap({ $0 as? String }) ?? [] where !name.hasSuffix(".swift") {
                let path = "\(folder)/\(name)"
                guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else { continue }
                if text.contains("0 passed, 0 failed") { found.append(path) }
            }
        }
        #expect(found == [], "Tests/TrialSupport/skips.py says it, and that it failed")
    }
}
