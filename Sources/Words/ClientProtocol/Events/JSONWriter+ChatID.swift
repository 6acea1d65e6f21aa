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
        first.withByteSpan { before in
            second.withByteSpan { after in
                string(plain: before.count + 1 + after.count) { output in
                    for index in before.indices { output.append(before[index]) }
                    output.append(UInt8(ascii: ":"))
                    for index in after.indices { output.append(after[index]) }
                }
            }
        }
    }
}
