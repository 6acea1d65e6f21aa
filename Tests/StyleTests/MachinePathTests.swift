import Foundation
import Testing

/// The repository runs on every machine, so no file names a folder that only one machine has.
struct MachinePathTests {
    private static let folders = ["Sources", "Tests", "Load", "deploy", ".ci"]
    /// Folders at the root of a machine that belong to its people.
    private static let own = ["home", "root", "work"]

    /// The lines of a text that name such a folder by its whole path.
    static func findings(in text: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { line in
            own.contains { name in
                line.contains("\"/\(name)/") || line.contains("'/\(name)/") || line.contains(" /\(name)/")
                    || line.contains("=/\(name)/") || line.contains("`/\(name)/")
            }
        }
    }

    @Test func `no file names a folder of one machine`() throws {
        let root = Repository.current.root
        var findings: [String] = []
        for folder in Self.folders {
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            for name in names?.compactMap({ $0 as? String }) ?? [] {
                let path = "\(folder)/\(name)"
                guard !path.hasSuffix("MachinePathTests.swift"),
                    let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
                else { continue }
                findings += Self.findings(in: text).map { "\(path): \($0)" }
            }
        }
        #expect(findings == [])
    }

    @Test func `a path of one machine is found, and one of any machine is not`() {
        #expect(Self.findings(in: "a = \"/work/shared/a\"\nb --c=/home/me/b\n").count == 2)
        #expect(Self.findings(in: "a = \"/tmp/a\"\nROOT / \"../shared\"\n/var/lib/watchwise\n/v1/home/x\n").isEmpty)
    }
}
