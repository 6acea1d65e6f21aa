import Testing
import Wire

@testable import watchwise_load

/// A receiver finds the number in a message, wherever it is.
@Suite struct MarkerTests {
    private func find(_ text: String, hint: inout Int) -> Int? {
        Array(text.utf8).withRawSpan { Marker.find(in: $0, hint: &hint) }
    }

    @Test(arguments: [0, 1, 42, 9_999_999_999])
    func `a number comes back from its marker`(number: Int) {
        var hint = 0
        #expect(find("{\"text\":\"\(Marker.text(number))…\"}", hint: &hint) == number)
        #expect(hint == 9)
        #expect(find("{\"text\":\"\(Marker.text(number))…\"}", hint: &hint) == number)
    }

    @Test func `a wrong hint is no harm`() {
        var hint = 500
        #expect(find("~" + Marker.text(7), hint: &hint) == 7)
        #expect(hint == 1)
    }

    @Test(arguments: ["", "~123~", "~00000000x7~", "0000000007"])
    func `a text that is not a marker is refused`(text: String) {
        var hint = 0
        #expect(find(text, hint: &hint) == nil)
    }
}

/// The receiver's record notices each way in which a server can break its promise.
@Suite struct ArrivalOrderTests {
    private func books(_ numbers: [Int], sent: Int) -> [Int] {
        var order = ArrivalOrder()
        for number in numbers { order.receive(number) }
        return [order.lost(of: sent), order.doubled, order.reordered]
    }

    @Test(arguments: [
        ([0, 1, 2], 3, [0, 0, 0]), ([0, 1], 3, [1, 0, 0]), ([0, 2], 3, [1, 0, 0]), ([0, 1, 1, 2], 3, [0, 1, 0]),
        ([1, 0, 2], 3, [0, 0, 1]), ([0, 0], 1, [0, 1, 0]), ([], 2, [2, 0, 0]), ([2, 2], 3, [2, 1, 0]),
    ])
    func `lost, doubled and reordered markers are different faults`(numbers: [Int], sent: Int, wanted: [Int]) {
        #expect(books(numbers, sent: sent) == wanted)
    }
}
