import GRDB
import JSON
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// The memory of the state machine after a transaction that was undone.
struct FailedCommitTests {
    @Test func `a trigger that an undone transaction has put does not fire`() throws {
        let house = try House()
        let row: JSONValue = [
            "name": "film", "event": "write", "path": "films/{film}", "audience": "user:alice", "title": "t",
        ]
        let put = try PutTrigger(name: "film", row: #require(row.objectValue), key: nil)
        #expect(throws: DatabaseError.self) {
            try house.fail(put, by: "admin", with: DatabaseError(resultCode: .SQLITE_IOERR))
        }
        let reply = try house.put("films/1", ["title": "Alien"])
        #expect(reply["triggers"] == [])
        try house.put(trigger: row)
        let second = try house.put("films/2", ["title": "Aliens"])
        #expect(second["triggers"]?.arrayValue?.count == 1)
    }
}
