import Model

/// A push that fits the bound of its platform, with the bytes that were measured.
///
/// - Confinement: any
struct FittedPush: Sendable {
    let content: PushContent
    let bytes: [UInt8]
}

extension PushContent {
    /// Leaves out as much as needed, the least important first.
    ///
    /// - Parameters:
    ///   - bytesMax: at least ``PushLimits/sealedBytesMax``. The last step leaves members that are bounded themselves
    ///     and take less than that together.
    ///   - encode: the form that is measured.
    func fitted(to bytesMax: Int, _ encode: (PushContent) -> [UInt8]) -> FittedPush {
        var fitting = self
        fitting.envelope.gone = Array(envelope.gone.prefix(PushLimits.goneMax))
        var bytes = encode(fitting)
        for step in Self.steps where bytes.count > bytesMax {
            let before = fitting
            step(&fitting)
            if fitting != before { bytes = encode(fitting) }
        }
        return FittedPush(content: fitting, bytes: bytes)
    }

    private typealias Step = @Sendable (inout PushContent) -> Void

    private static let steps: [Step] = usualSteps + goneSteps + byteSteps + [leaveOutNames]

    private static let usualSteps: [Step] =
        [{ $0.envelope.entry?.data = nil }] + PushLimits.bodyCharactersMax.map(bodyStep) + [
            { $0.title = GraphemeCut.cut($0.title, charactersMax: PushLimits.titleCharactersMax) }
        ]

    private static func bodyStep(_ charactersMax: Int) -> Step {
        { $0.body = GraphemeCut.cut($0.body, charactersMax: charactersMax) }
    }

    private static let goneSteps: [Step] = [10, 5, 2, 0].map { count in
        { $0.envelope.gone = Array($0.envelope.gone.prefix(count)) }
    }

    /// A single character may have any number of bytes, so texts are also cut by their bytes.
    private static let byteSteps: [Step] = [512, 256, 128, 64, 16].map { bytesMax in
        {
            $0.body = GraphemeCut.cut($0.body, charactersMax: bytesMax, bytesMax: bytesMax)
            $0.title = GraphemeCut.cut($0.title, charactersMax: bytesMax, bytesMax: bytesMax)
        }
    }

    private static let leaveOutNames: Step = {
        $0.open = nil
        $0.envelope.entry?.kind = nil
        $0.envelope.entry?.topic = nil
    }
}
