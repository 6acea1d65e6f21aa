package import Model

/// The end of what a device knows: the events after it are missing.
///
/// - Confinement: any
package struct ResumePoint: Sendable, Hashable {
    package var epoch: Epoch
    package var seq: Position

    package init(epoch: Epoch, seq: Position) {
        self.epoch = epoch
        self.seq = seq
    }
}

// As one text: the id of an event.
extension ResumePoint {
    /// `EPOCH.SEQ`.
    package var text: String { "\(epoch.text).\(seq.value)" }

    /// Nil when it is not of that form.
    package init?(_ text: String) {
        guard let dot = text.lastIndex(of: "."), let epoch = Epoch(String(text[..<dot])),
            let seq = Int64(text[text.index(after: dot)...]), (0..<Position.bound).contains(seq)
        else { return nil }
        self.init(epoch: epoch, seq: Position(seq))
    }
}

extension Field {
    func resumePoint() throws(Refusal) -> ResumePoint {
        let fields = try object()
        let epoch = try fields.required("epoch").form("1 to 64 visible ASCII characters") { Epoch($0) }
        return ResumePoint(epoch: epoch, seq: try fields.required("seq").position())
    }
}
