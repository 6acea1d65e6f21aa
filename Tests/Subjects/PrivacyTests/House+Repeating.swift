import ClientProtocol
import Execution
import GRDB
import JSON
import Model
import Privacy
import ServicesTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

extension House {
    /// All that a commit leaves of one write.
    struct Trace: Equatable {
        let answer: String
        let fact: AnswerFact
        let steps: [String]
        let rows: [String]
    }

    /// Applies a write.
    ///
    /// - Parameter isRepeated: whether another command of the same commit does the same before it, and is then refused:
    ///   so the writer undoes both, does both again, and undoes the first of them alone.
    func trace(of useCase: any WriteUseCase, by name: String, isRepeated: Bool) throws -> Trace {
        let actor = try actor(name)
        let undone = WriteRequest(actor: actor, at: now, useCase: Self.undone(useCase))
        let request = WriteRequest(actor: actor, at: now, useCase: useCase)
        let committed = try writer.commit(isRepeated ? [undone, request] : [request]) { request, transaction in
            Result<EncodedAnswer, any Error>.success(try machine.apply(request, in: transaction))
        } refuse: {
            .failure($0)
        } revert: {
            machine.revert()
        }
        machine.committed()
        let answer = try #require(committed.items.last).outcome.get()
        return Trace(
            answer: String(decoding: answer.body, as: UTF8.self), fact: answer.fact,
            steps: committed.steps.map(\.inFull), rows: try rows())
    }

    private static func undone(_ useCase: some WriteUseCase) -> any WriteUseCase { Undone(useCase: useCase) }

    /// Every row of the database, without the name of its history, which differs from database to database.
    private func rows() throws -> [String] {
        try look { transaction in
            let database = transaction.database
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            return try tables.sorted().flatMap { table in
                try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\"")
                    .map { "\(table): \($0)".replacing(writer.epoch.text, with: "EPOCH") }.sorted()
            }
        }
    }
}

/// Does what another use case does, and is then refused.
private struct Undone<UseCase: WriteUseCase>: WriteUseCase {
    let useCase: UseCase

    func perform(in context: WriteContext) throws -> JSONObject {
        _ = try useCase.perform(in: context)
        throw Refusal(.conflict, "this is refused after it has written")
    }
}
