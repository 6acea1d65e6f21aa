package import JSON
package import Model
package import Searching
package import Services
import Store
import TestSupport

@testable import ClientProtocol

// The index of messages beside the house's database.
extension House {
    /// Opens the index, as a start of the server does.
    ///
    /// - Parameter epoch: nil for that of the database.
    @discardableResult
    package func openSearch(epoch: Epoch? = nil) throws -> SearchIndex {
        let file = SearchFile(in: directory)
        let index = try SearchIndex(file, epoch: epoch ?? writer.epoch)
        searching = (
            SearchIndexing(reader: try Storage.openReader(directory), index: index), index,
            SearchReader(file)
        )
        return index
    }

    /// Indexes everything that there is.
    ///
    /// - Returns: the steps that it took.
    @discardableResult
    package func index() throws -> [SearchIndexing.Step] {
        if searching == nil { try openSearch() }
        var steps: [SearchIndexing.Step] = []
        while let step = try searching?.indexing.step(), step != .idle { steps.append(step) }
        return steps
    }

    /// One answer to a question.
    package func search(
        _ name: String, _ question: String, chat chatName: String? = nil, from author: String? = nil,
        before: String? = nil, limit: Int = 50
    ) throws -> JSONValue {
        var command = SearchCommand(question: question, before: before, limit: limit)
        command.chat = try chatName.map { try chat($0) }
        command.author = try author.map { try user($0) }
        return try read(SearchMessages(command), by: name)
    }

    /// The folder, for tests that look into its files.
    package var folderPath: String { folder.path }
}
