import JSON
import Journal
import Testing
import ThreadMessages

struct ClusterViewTests {
    private func node(_ name: String, leads: Bool = false, applied: UInt64, address: String = "") -> ClusterView.Node {
        let beat = NodeHeartbeat(
            node: name, term: 7, leads: leads, applied: applied, head: 5, schema: 25, program: "p", fingerprint: "f",
            sessions: 3, address: address)
        return ClusterView.Node(
            beat, heardMilliseconds: name == "a" ? 0 : 120, digest: NodeDigest("1f/2e"))
    }

    @Test func `each node stands with its role and the entries that it misses`() {
        var view = ClusterView()
        view.node = "a"
        view.role = "following"
        view.leader = "b"
        view.term = 7
        view.nodes = [node("b", leads: true, applied: 90, address: "http://b"), node("a", applied: 88)]
        view.stream.name = "WW-films"
        view.stream.last = 90
        view.stream.problem = "the journal has no leader"
        let json = view.json
        let nodes = json["nodes"]?.arrayValue ?? []
        #expect(nodes.map { $0["node"] } == ["a", "b"])
        #expect(nodes.map { $0["role"] } == ["following", "leading"])
        #expect(nodes.map { $0["missing"] } == [2, 0])
        #expect(nodes.last?["settings"] == "1f" && nodes.last?["zones"] == "2e")
        #expect(nodes.last?["heardMilliseconds"] == 120 && nodes.last?["address"] == "http://b")
        #expect(json["leader"] == "b" && json["term"] == 7)
        #expect(json["journal"]?["problem"] == "the journal has no leader")
        #expect(json["journal"]?["problems"] == .null, "nobody has looked")
        let board = ClusterBoard()
        board.note(problems: ["n1: sync_interval"])
        #expect(board.now == nil)
        board.show(view)
        #expect(board.now?.json["journal"]?["problems"] == ["n1: sync_interval"])
        #expect(json["journal"]?["server"] == .null)
    }

    @Test func `a node's tables are compared with those of the node that answers, at the same entry only`() throws {
        let digests = { (entry: UInt64, rows: Int64) in
            TableDigests(
                number: 5, entry: entry, milliseconds: 1,
                tables: [.init(name: "chats", rows: rows, sums: [1, 2]), .init(name: "meta", rows: 4, sums: [3, 4])])
        }
        var view = ClusterView()
        view.node = "a"
        view.nodes = ["a", "b", "c", "d", "e"].map { node($0, applied: 9) }
        let found = [digests(9, 1), digests(9, 1), digests(9, 2), digests(8, 1)]
        for (index, digests) in found.enumerated() { view.nodes[index].verified = digests }
        let nodes = view.json["nodes"]?.arrayValue ?? []
        #expect(nodes.map { $0["verified"]?["differs"] } == [[], [], ["chats"], .null, nil])
        #expect(nodes.last?["verified"] == .null)
        #expect(nodes.map { $0["verified"]?["rows"]?.integerValue } == [5, 5, 6, 5, nil])
        #expect(nodes[0]["verified"]?["digest"] == nodes[1]["verified"]?["digest"])
        #expect(nodes[0]["verified"]?["digest"] != nodes[2]["verified"]?["digest"])
        #expect(digests(9, 1).text.count == 16)
    }

    @Test func `the digests of a heartbeat are read from their text`() {
        #expect(NodeDigest("a/b")?.text == "a/b")
        #expect(NodeDigest("") == nil && NodeDigest("a") == nil && NodeDigest("a/b/c") == nil)
    }

    @Test func `a board shows the newest view`() {
        let board = ClusterBoard()
        #expect(board.now == nil)
        var view = ClusterView()
        view.node = "a"
        board.show(view)
        #expect(board.now == view)
    }
}
