import Quotas
import Telemetry
import ThreadMessages

// The account of the writes that wait, for the bounds on what may wait and for a stop that waits for them.
extension Metrics {
    /// A write waits no longer.
    func release(_ order: WriteOrder) {
        peerMemory.wait(-order.bytes, for: order.account)
        if let account = order.account { peerMemory.wait(microseconds: -order.work, for: account) }
        writesPending.subtract(1)
    }

    /// A write waits on, although its queue is about to release it.
    func hold(_ order: WriteOrder) {
        peerMemory.wait(order.bytes, for: order.account)
        if let account = order.account { peerMemory.wait(microseconds: order.work, for: account) }
        writesPending.add(1)
    }
}
