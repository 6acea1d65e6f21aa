/// Some figures of one kind beside each other, as bars with their names.
struct BarChart {
    struct Bar {
        var name: String
        var value: Double
        /// The one the report is about.
        var isOwn: Bool
    }

    var title: String
    var unit: String
    var bars: [Bar]

    var html: String {
        let longest = bars.map(\.value).max() ?? 0
        guard longest > 0 else { return "" }
        let rows = bars.map { bar in
            """
            <div class="bar\(bar.isOwn ? " own" : "")"><span>\(bar.name.escaped)</span>\
            <b><i style="width:\(Figures.fixed(max(0.5, bar.value / longest * 100), digits: 1))%"></i></b>\
            <em>\(Figures.short(bar.value))</em></div>
            """
        }
        return """
            <figure><figcaption>\(title.escaped)<span>\(unit.escaped)</span></figcaption>\(rows.joined())</figure>
            """
    }
}
