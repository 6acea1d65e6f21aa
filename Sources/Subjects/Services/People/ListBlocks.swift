package import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `blocks`: the people whom the caller blocks.
///
/// - Confinement: any
package struct ListBlocks: ReadUseCase {
    let command: BlocksCommand

    package init(_ command: BlocksCommand) { self.command = command }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let (user, blocks) = (try context.user(), context.transaction.blocks)
        let after = try Cursor.number(command.after, field: "after") ?? 0
        let blocked = try blocks.page(of: user.id, after: StreamID(stored: after), limit: command.limit + 1)
        var answer = JSONObject("users", Page(blocked, limit: command.limit) { String($0.id.value) }) {
            .string($0.name.text)
        }
        answer["count"] = .integer(try blocks.count(of: user.id))
        return answer
    }
}

extension BlocksCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListBlocks(self)) }
}
