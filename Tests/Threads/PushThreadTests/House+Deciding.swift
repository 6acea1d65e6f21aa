import Configuration
import Execution
import Model
@testable import Push
import ServicesTestSupport
import Testing
@testable import PushThread
@testable import Log
@testable import Store

extension House {
    static let tags = PushTagKey([UInt8](repeating: 7, count: 32))

    /// The decision of the sender about a job for one user.
    ///
    /// - Parameter judged: the newest message that the job decides about; nil for the newest of the chat.
    func decide(
        _ job: PushJobEntry, for name: String, upTo judged: MessageNumber? = nil,
        by rules: RulesInForce = RulesInForce(),
        _ collections: TopicCollections = TopicCollections()
    ) throws -> PushDecision {
        let (id, epoch) = (try entry(name).id, try #require(Epoch("e-1")))
        return try look { transaction in
            let context = ReadContext(
                transaction: transaction, actor: .server, now: now, collections: collections, rules: rules)
            var deciding = PushDeciding(in: context, epoch: epoch, tags: Self.tags, badge: .both)
            return try deciding.decide(job, for: id, upTo: judged)
        }
    }
}

/// A decision is to push nothing, against what a test expects.
struct NotPushed: Error {}

extension PushDecision {
    /// - Throws: `NotPushed`
    var material: PushMaterial {
        get throws {
            guard case .push(let material) = self else { throw NotPushed() }
            return material
        }
    }
}
