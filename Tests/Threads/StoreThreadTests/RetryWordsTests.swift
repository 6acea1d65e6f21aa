import ClientProtocol
import Execution
import Model
import Store
import Testing
import ThreadMessages
@testable import StoreThread

/// The message of an answer of the class `retry`: the outcome is not known, and the key makes a repetition harmless.
struct RetryWordsTests {
    @Test func `an answer to a write whose outcome is not known claims nothing, and asks for the same key`() {
        struct Unexpected: Error {}
        let refusals =
            [StorageFault.diskFull, .notFlushed].flatMap { [StorageRefusal.failed($0), StorageRefusal.untried($0)] }
            + [StateMachine.refusal(for: Unexpected()), Refusal.overloaded]
        for refusal in refusals {
            #expect(refusal.code.errorClass == .retry)
            #expect(refusal.message.contains("with the same key"), "\(refusal.message)")
            for claim in ["not be committed", "not committed", "nothing was", "nothing is", "not written", "not done"] {
                #expect(!refusal.message.contains(claim), "\(refusal.message)")
            }
        }
        #expect(StorageRefusal.failed(.diskFull).message.contains("is not known"))
    }
}
