import Execution
import Services
import Testing
@testable import Gateway

struct CommandQueueTests {
    @Test func `a client that always has something waiting may go on for ever`() {
        let ping = CommandEnvelope(id: nil, name: "ping", work: .ping, heldBytes: 20)
        var queue = CommandQueue()
        queue.append(ping)
        var begun = 0
        while begun < 200_000 {
            for _ in 0..<7 { queue.append(ping) }
            for _ in 0..<7 {
                let envelope = queue.next(isCongested: false)
                #expect(envelope != nil)
                begun += 1
            }
            #expect(queue.count == 1)
        }
        #expect(queue.heldBytes == 20)
        #expect(queue.takeWaiting().count == 1)
        #expect(queue.heldBytes == 0)
    }
}
