/// A parser of external bytes, with the properties that every input must keep.
///
/// It must never trap; each target names its other properties. libFuzzer calls it through `LLVMFuzzerTestOneInput`, and
/// FuzzTests with every file of `Tests/Fuzz/Corpus` and `Tests/Fuzz/Crashes`.
package protocol FuzzTarget: SendableMetatype {
    /// The folder of its inputs.
    static var name: String { get }
    /// Makes the state that is kept from input to input.
    init() throws
    /// Feeds one input.
    ///
    /// - Throws: ``Finding`` when a property is broken.
    mutating func check(_ input: [UInt8]) throws
}

/// A property that an input has broken.
package struct Finding: Error, CustomStringConvertible {
    package let description: String
}

/// All targets; the runner selects one by its name.
package let allFuzzTargets: [any FuzzTarget.Type] = [
    HTTPRequestFuzz.self, HTTPResponseFuzz.self, WebSocketFuzz.self, ExtensionFuzz.self, InflaterFuzz.self,
    JSONFuzz.self, CommandFuzz.self, TokenFuzz.self, PatternFuzz.self, TriggerFuzz.self, ConditionFuzz.self,
    NameFuzz.self, ProxyHeaderFuzz.self, FeedFuzz.self, PushAnswerFuzz.self, EntryFuzz.self,
    NodeMessageFuzz.self, DeviceFuzz.self,
]

extension FuzzTarget {
    /// Throws a finding with both values unless they are equal.
    func expect<Value: Equatable>(_ found: Value, equals expected: Value, _ what: String) throws(Finding) {
        guard found == expected else { throw Finding(description: "\(what): found \(found), expected \(expected)") }
    }

    /// Throws a finding unless `isTrue`.
    func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws(Finding) {
        guard isTrue else { throw Finding(description: what()) }
    }

    /// The lines of an input, as text; the last one contains the rest.
    func lines(_ input: [UInt8], atMost count: Int) -> [String] {
        input.split(separator: 0x0A, maxSplits: count - 1, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
