import Foundation

/// The seeds of the tests of chance: a few in each check, and all where `SEEDS=all` is set, as `deploy/nightly seeds` does.
package enum Seeds {
    private static let areAll = ProcessInfo.processInfo.environment["SEEDS"] == "all"

    /// - Parameters:
    ///   - few: how many each check tries.
    ///   - all: how many there are.
    package static func first(_ few: UInt64, of all: UInt64) -> ClosedRange<UInt64> { 1...(areAll ? all : few) }
}
