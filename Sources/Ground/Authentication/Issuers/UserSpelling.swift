package import Model

/// User ids for names with any characters, as `auth0|5f7c8ec7c33c6c004bbafe82`, `ada+films@example.org` and `Zoë`.
///
/// Letters and digits of ASCII, `.`, `@` and `-` stay. Each other byte of the UTF-8 becomes `_` with two hexadecimal digits, and `_` becomes `__`:
/// `auth0_7c5f7c…`, `ada_2bfilms@example.org`, `Zo_c3_ab`. So two names never become one user, and the name can be read again.
/// - Confinement: any
package enum UserSpelling {
    private static let mark = UInt8(ascii: "_")

    /// - Parameter prefix: stands before the name, and is not spelled.
    /// - Returns: nil for an empty name, and for one whose id is longer than 128 characters.
    package static func user(of name: String, after prefix: String = "") -> UserID? {
        guard !name.isEmpty else { return nil }
        let bytes = Array(name.utf8)
        let whole = bytes.flatMap { spelled($0, isKept: isPlain($0)) }
        if let user = UserID(prefix + text(whole)) { return user }
        // A name that nobody may have as it is, such as `..`.
        let first = spelled(bytes[0], isKept: false) + bytes.dropFirst().flatMap { spelled($0, isKept: isPlain($0)) }
        return UserID(prefix + text(first))
    }

    /// The name of a user id; nil when the id was not made here.
    package static func name(of user: UserID, after prefix: String = "") -> String? {
        guard user.text.hasPrefix(prefix) else { return nil }
        var rest = user.text.utf8.dropFirst(prefix.utf8.count)[...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == mark else {
                bytes.append(byte)
                continue
            }
            if rest.first == mark {
                bytes.append(mark)
                rest = rest.dropFirst()
            } else {
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2
                else {
                    return nil
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            }
        }
        guard let name = String(validating: bytes, as: UTF8.self), self.user(of: name, after: prefix) == user else {
            return nil
        }
        return name
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func spelled(_ byte: UInt8, isKept: Bool) -> [UInt8] {
        if isKept { return [byte] }
        if byte == mark { return [mark, mark] }
        let digits = Array(String(byte, radix: 16).utf8)
        return [mark] + (digits.count == 1 ? [UInt8(ascii: "0")] : []) + digits
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
