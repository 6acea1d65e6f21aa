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

extension Field {
    func resumePoint() throws(Refusal) -> ResumePoint {
        let fields = try object()
        let epoch = try fields.required("epoch").form("1 to 64 visible ASCII characters") { Epoch($0) }
        return ResumePoint(epoch: epoch, seq: try fields.required("seq").position())
    }
}
