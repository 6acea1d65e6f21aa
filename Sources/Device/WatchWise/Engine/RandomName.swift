/// 16 random bytes, as the contract allows in keys and names.
func randomName(_ prefix: String = "") -> String {
    prefix + (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined()
}
