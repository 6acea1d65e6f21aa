import Digits
package import JSON
package import Model

extension JSONWriter {
    /// A name and its chat, without a string in between. The names of users and rooms need no escapes.
    package mutating func member(_ name: String, _ chat: ChatID) {
        self.name(name)
        let (first, second) =
            switch chat {
            case .pair(let first, let second): (first.text, second.text)
            case .room(let id): ("room", id)
            }
        string(plain: first.utf8.count + 1 + second.utf8.count) { output in
            first.withByteSpan { for index in $0.indices { output.append($0[index]) } }
            output.append(UInt8(ascii: ":"))
            second.withByteSpan { for index in $0.indices { output.append($0[index]) } }
        }
    }
}
