extension Int64 {
    /// `12,345`.
    package var grouped: String {
        var text = ""
        for (index, digit) in String(magnitude).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (self < 0 ? "-" : "") + String(text.reversed())
    }

    /// `1 person`, `12,345 people`.
    package func counted(_ one: String, _ many: String) -> String { grouped + " " + (self == 1 ? one : many) }
}
