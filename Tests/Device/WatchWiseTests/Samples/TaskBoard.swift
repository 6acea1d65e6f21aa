import Foundation
import WatchWise

/// A board of tasks on all devices of one person. Changes without a network go out later, in order.
@WatchWiseActor
struct TaskBoard {
    struct Task: Codable, Sendable, Hashable {
        var title: String
        var column: String
        var due: String?
        var done = false
    }

    let ww: WatchWise
    private var tasks: String { "users/\(ww.user)/tasks" }

    init(_ ww: WatchWise) { self.ww = ww }

    func add(_ task: Task, as id: String) throws { try ww.document("\(tasks)/\(id)", as: Task.self).put(task) }
    func move(_ id: String, to column: String) throws {
        try ww.document("\(tasks)/\(id)").patch(["column": .string(column)])
    }
    func finish(_ id: String) throws { try ww.document("\(tasks)/\(id)").patch(["done": true]) }

    /// The columns, each time when a task changes on any device.
    func showColumns(_ show: @Sendable ([String: [Task]]) -> Bool) async {
        for await board in ww.collection(tasks, as: Task.self).snapshots() {
            guard show(Dictionary(grouping: board.items.map(\.data), by: \.column)) else { return }
        }
    }
}
