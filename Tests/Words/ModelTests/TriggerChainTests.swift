import Model
import Testing

struct TriggerChainTests {
    @Test(arguments: [
        ("a", ["a"]), ("a,b", ["a", "b"]), (" a ,b-2, c ", ["a", "b-2", "c"]),
        (Array(repeating: "a", count: 16).joined(separator: ","), Array(repeating: "a", count: 16)),
    ])
    func `a chain is read and written as it was`(_ text: String, _ names: [String]) {
        let chain = TriggerChain(text)
        #expect(chain?.names == names)
        #expect(chain?.text == names.joined(separator: ","))
    }

    @Test(arguments: ["", ",", "a,", "a,,b", "A", "a b", "a;b", "a\tb", "é", String(repeating: "a", count: 65)])
    func `a text that is not a chain is refused`(_ text: String) {
        #expect(TriggerChain(text) == nil)
    }

    @Test func `seventeen names are too many`() {
        #expect(TriggerChain(Array(repeating: "a", count: 17).joined(separator: ",")) == nil)
    }

    @Test func `a chain refuses a trigger that it already has, and any trigger after four`() {
        let two = TriggerChain.none.adding("a").adding("b")
        #expect(TriggerChain.none.objection(to: "a") == nil)
        #expect(two.objection(to: "a")?.contains("a,b") == true)
        #expect(two.objection(to: "c") == nil)
        let four = two.adding("c").adding("d")
        #expect(two.adding("c").objection(to: "d") == nil)
        #expect(four.objection(to: "e")?.contains("has 4 triggers") == true)
    }
}
