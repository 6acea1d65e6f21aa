import Foundation
import JSON
import Testing

/// The license of the product, and those of the packages in its programs.
struct LicenseTests {
    private func text(_ name: String) throws -> String {
        try String(contentsOf: Repository.current.root.appending(path: name), encoding: .utf8)
    }

    @Test func `the product is under the Apache License 2.0`() throws {
        let license = try text("LICENSE")
        #expect(license.contains("Apache License\n                           Version 2.0, January 2004"))
        #expect(try text("README.md").contains("[Apache License 2.0](LICENSE)"))
    }

    /// `Package.resolved` is made by each build and is not committed: its commit ids are those of the place from which the
    /// packages come. So the notice is what holds their versions.
    @Test func `the notice names the packages of the programs with their versions, and no others`() throws {
        let resolved = try JSONValue(parsing: Array(text("Package.resolved").utf8))
        let pins = try #require(resolved["pins"]?.arrayValue).compactMap { pin in
            guard let name = pin["location"]?.stringValue?.split(separator: "/").last,
                let version = pin["state"]?["version"]?.stringValue
            else { return nil as String? }
            return "\(name) \(version)"
        }
        let rows = try text("NOTICE").matches(of: /\n\| ([\w.-]+) \| ([\d.]+) \|/).map { "\($0.1) \($0.2)" }
        #expect(!rows.isEmpty)
        #expect(rows.sorted() == pins.sorted())
    }
}
