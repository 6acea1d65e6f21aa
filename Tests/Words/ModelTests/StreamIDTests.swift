import Model
import Testing

struct StreamIDTests {
    @Test func `the number of a stream says what it is`() {
        let kinds: [(value: Int64, kind: StreamID.Kind)] = [
            (0, .nobody), (1, .everyone), (2, .named), (.max, .named), (-1, .chat(1)), (-4711, .chat(4711)),
        ]
        for (value, kind) in kinds {
            #expect(StreamID(stored: value).kind == kind)
            #expect(StreamID(stored: value).value == value)
        }
    }

    @Test func `a chat's stream is known by the chat's number`() {
        #expect(StreamID(chat: 7).kind == .chat(7))
        #expect(StreamID(chat: 7) < .nobody)
        #expect(StreamID.nobody < .everyone)
    }

    @Test func `a stream takes eight bytes`() {
        #expect(MemoryLayout<StreamID>.stride == 8)
    }
}
