/// A bar chart of named figures of one kind, with the spread of each.
struct BarChart {
    struct Bar {
        var name: String
        var value: Double
        /// The minimum and the maximum of several rounds.
        var spread: (least: Double, most: Double)?
        /// Whether it is the system that the report is about.
        var isOwn: Bool
    }

    var title: String
    var unit: String
    var bars: [Bar]

    var html: String {
        let longest = bars.map { max($0.value, $0.spread?.most ?? 0) }.max() ?? 0
        guard longest > 0 else { return "" }
        let rows = bars.map { bar in
            """
            <div class="bar\(bar.isOwn ? " own" : "")"><span>\(bar.name.escaped)</span>\
            <b><i style="width:\(Self.percent(max(0.005, bar.value / longest)))"></i>\(Self.whisker(bar.spread, longest))</b>\
            <em>\(Figures.short(bar.value))</em></div>
            """
        }
        return """
            <figure><figcaption>\(title.escaped)<span>\(unit.escaped)</span></figcaption>\(rows.joined())</figure>
            """
    }

    private static func whisker(_ spread: (least: Double, most: Double)?, _ longest: Double) -> String {
        guard let spread else { return "" }
        let (left, width) = (percent(spread.least / longest), percent((spread.most - spread.least) / longest))
        let said = "\(Figures.short(spread.least)) to \(Figures.short(spread.most))"
        return "<u style=\"left:\(left);width:\(width)\" title=\"\(said)\"></u>"
    }

    private static func percent(_ share: Double) -> String { Figures.fixed(share * 100, digits: 1) + "%" }
}
