package import Model

/// Merges ascending positions out of many sources, without reading much more of any than is taken.
///
/// A source is asked for one position first and for twice as many each time those are used up. So what is read is at
/// most twice what is returned and one more for each source, and a source with much to give is asked seldom.
///
/// - Confinement: any
package enum PositionMerge {
    private struct Source {
        var found: ArraySlice<Position> = []
        var asked = 0
        var last: Position
        var isDry = false
    }

    /// The smallest `limit` positions of all sources, ascending.
    ///
    /// - Parameters:
    ///   - starts: for each source the position behind which it begins.
    ///   - read: the source's next positions behind the given one, ascending, at most as many as said.
    /// - Throws: what `read` throws.
    package static func merge(
        after starts: [Position],
        limit: Int,
        read: (_ source: Int, _ after: Position, _ limit: Int) throws -> [Position]
    ) rethrows -> [Position] {
        var sources = starts.map { Source(last: $0) }
        var merged: [Position] = []
        for index in sources.indices { try fill(&sources[index], index, limit, read) }
        while merged.count < limit {
            var least: (index: Int, position: Position)?
            for (index, source) in sources.enumerated() {
                guard let next = source.found.first else { continue }
                if least.map({ next < $0.position }) ?? true { least = (index, next) }
            }
            guard let least else { break }
            merged.append(least.position)
            sources[least.index].found.removeFirst()
            try fill(&sources[least.index], least.index, limit - merged.count, read)
        }
        return merged
    }

    private static func fill(
        _ source: inout Source,
        _ index: Int,
        _ wanted: Int,
        _ read: (_ source: Int, _ after: Position, _ limit: Int) throws -> [Position]
    ) rethrows {
        guard source.found.isEmpty, !source.isDry, wanted > 0 else { return }
        source.asked = min(max(1, source.asked * 2), wanted)
        source.found = try read(index, source.last, source.asked)[...]
        source.isDry = source.found.count < source.asked
        source.last = source.found.last ?? source.last
    }
}
