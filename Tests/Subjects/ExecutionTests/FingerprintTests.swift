import Execution
import Testing

struct FingerprintTests {
    private static func digest(_ parts: [String?]) -> Int64 {
        var fingerprint = Fingerprint()
        for part in parts { fingerprint.add(part) }
        return fingerprint.value
    }

    @Test func `the same parts give the same digest, for good`() {
        #expect(Self.digest(["send", nil, "hi"]) == Self.digest(["send", nil, "hi"]))
        var fingerprint = Fingerprint()
        fingerprint.add("a")
        #expect(fingerprint.value == 620_310_408_636_712_809, "it stands in databases")
    }

    @Test(
        arguments: [
            [["ab", "c"], ["a", "bc"]], [["a", nil], ["a", ""]], [[nil, "a"], ["a", nil]], [["a"], ["a", nil]],
            [["a"], ["A"]],
            [["1"], ["2"]],
        ] as [[[String?]]]
    )
    func `other parts give another digest`(pair: [[String?]]) {
        #expect(Self.digest(pair[0]) != Self.digest(pair[1]))
    }

    @Test func `numbers count by their value and absence`() {
        func digest(_ number: Int64?) -> Int64 {
            var fingerprint = Fingerprint()
            fingerprint.add(number)
            return fingerprint.value
        }
        #expect(Set([digest(nil), digest(0), digest(1), digest(-1)]).count == 4)
    }
}
