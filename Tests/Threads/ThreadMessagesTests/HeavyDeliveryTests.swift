import Testing
@testable import ThreadMessages

/// A commit with a long delivery.
struct HeavyDeliveryTests {
    @Test func `a heavy delivery is over when each loop has written it`() {
        let delivery = HeavyDelivery(loops: 2)
        #expect(!delivery.isDelivered)
        delivery.deliveredByOne()
        #expect(!delivery.isDelivered)
        delivery.deliveredByOne()
        #expect(delivery.isDelivered)
    }
}
