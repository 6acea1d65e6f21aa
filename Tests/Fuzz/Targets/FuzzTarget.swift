/// A parser that meets bytes from outside, with what must hold of it for every input.
///
/// That it does not trap is the least; each target names what else holds. libFuzzer calls it through
/// `LLVMFuzzerTestOneInput`, FuzzTests with every file of `Tests/Fuzz/Corpus` and `Tests/Fuzz/Crashes`.
package protocol FuzzTarget: SendableMetatype {
    /// The folder of its inputs.
    static var name: String { get }
    /// What is kept from input to input.
    init() throws
    /// Feeds one input.
    ///
    /// - Throws: ``Finding`` when a property does not hold.
    mutating func check(_ input: [UInt8]) throws
}

/// A property that did not hold for an input.
package struct Finding: Error, CustomStringConvertible {
    package let description: String
}

/// All targets; the runner asks for them by name.
package let allFuzzTargets: [any FuzzTarget.Type] = [
    HTTPRequestFuzz.self, HTTPResponseFuzz.self, WebSocketFuzz.self, ExtensionFuzz.self, InflaterFuzz.self,
    JSONFuzz.self, CommandFuzz.self, TokenFuzz.self, PatternFuzz.self, TriggerFuzz.self, ConditionFuzz.self,
    NameFuzz.self, ProxyHeaderFuzz.self, FeedFuzz.self,
]

extension FuzzTarget {
    /// Fails with both sides unless they are equal.
    func expect<Value: Equatable>(_ found: Value, equals expected: Value, _ what: String) throws(Finding) {
        guard found == expected else { throw Finding(description: "\(what): found \(found), expected \(expected)") }
    }

    /// Fails unless `isTrue`.
    func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws(Finding) {
        guard isTrue else { throw Finding(description: what()) }
    }

    /// The lines of an input, as text; the last takes what is left.
    func lines(_ input: [UInt8], atMost count: Int) -> [String] {
        input.split(separator: 0x0A, maxSplits: count - 1, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
