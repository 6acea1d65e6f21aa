package import Execution
import Model
package import PersonalData
import Privacy
import Services
package import Store
package import Telemetry

/// Holds the ledger of erasures against a database that is opened: an older copy must not bring an erased person back.
///
/// - Confinement: store
package struct ErasureStart {
    private let writer: Writer
    private let stateMachine: StateMachine
    private let ledger: ErasureLedger
    private let clock: WallClock

    package init(_ writer: Writer, _ stateMachine: StateMachine, _ ledger: ErasureLedger, _ clock: WallClock) {
        self.writer = writer
        self.stateMachine = stateMachine
        self.ledger = ledger
        self.clock = clock
    }

    /// Begins the erasures that the database does not know, and completes the ledger.
    ///
    /// - Returns: whether there are some of people whom the database has.
    @discardableResult
    package func settle() throws -> Bool {
        let known = try writer.read { try $0.erasures.countRunning() }
        try ledger.eraseAgain(reading: writer) { useCase in
            try commit(useCase)
            return true
        }
        return try writer.read { transaction in
            try ledger.settle(with: transaction)
            return try transaction.erasures.countRunning() > known
        }
    }

    /// Does all of the work at once: nobody is served meanwhile.
    package func finish() throws {
        while let entry = try writer.read({ try $0.erasures.running() }) {
            guard entry.phase == ErasurePhase.files.rawValue else {
                try commit(EraseSlice())
                continue
            }
            try commit(FinishErasure(entry.id))
        }
        var page: Int64? = 0
        while let first = page { page = try writer.clearUnusedBytes(from: first, pages: ErasureLimits.pages).next }
        _ = try writer.emptyLog()
    }

    private func commit(_ useCase: any WriteUseCase) throws {
        let request = WriteRequest(actor: .server, at: clock.now(), useCase: useCase)
        let committed = try writer.commit([request]) { request, transaction in
            Result<EncodedAnswer, any Error>.success(try stateMachine.apply(request, in: transaction))
        } refuse: {
            .failure($0)
        }
        stateMachine.committed()
        _ = try committed.items[0].outcome.get()
    }
}

extension ErasureLedger {
    /// Begins the erasures that a database does not know, each in a commit of its own.
    ///
    /// - Parameter commit: returns false when nothing more can be committed.
    func eraseAgain(reading writer: Writer, _ commit: (any WriteUseCase) throws -> Bool) throws {
        for line in try writer.read({ try unknown(to: $0) }) {
            guard try commit(EraseAgain([line], chance: try ErasureChance.drawn())) else { return }
        }
    }
}
