import Model

/// The small texts of the protocol: times, paths, languages, ids. An accepted text is written unchanged, or in a
/// canonical form that is read as the same value.
struct NameFuzz: FuzzTarget {
    static let name = "Name"

    init() {}

    func check(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        try checkTime(text)
        try checkPath(text)
        if let tag = LanguageTag(text) {
            try expect(LanguageTag(tag.text), equals: tag, "language")
            var wider = tag.wider
            while let next = wider {
                try expect(tag.text.hasPrefix(next.text + "-"), "\(next) is not wider than \(tag)")
                wider = next.wider
            }
        }
        if let chat = ChatID(text) { try expect(chat.text, equals: text, "chat") }
        if let topic = Topic(text) { try expect(topic.text, equals: text, "topic") }
        if let user = UserID(text) { try expect(user.text, equals: text, "user") }
    }

    private func checkTime(_ text: String) throws {
        guard let time = Timestamp(text) else { return }
        // With its offset, a time may be outside of the years that can be written.
        guard (-62_167_219_200_000...253_402_300_799_999).contains(time.milliseconds) else { return }
        try expect(Timestamp(time.text), equals: time, "time")
    }

    private func checkPath(_ text: String) throws {
        if let collection = try? DocumentPath.collection(text) {
            try expect(collection, equals: text, "collection")
            _ = try DocumentPath(text + "/x")
        }
        guard let path = try? DocumentPath(text) else { return }
        try expect(path.text, equals: text, "path")
        try expect("\(path.collection)/\(path.id)", equals: text, "collection and id")
        try expect(path.levels.map { "\($0.collection)/\($0.id)" }.joined(separator: "/"), equals: text, "levels")
    }
}
