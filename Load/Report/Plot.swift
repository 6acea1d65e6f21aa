/// A plot as SVG: lines or points over two axes, readable on light and dark ground, without external parts.
struct Plot {
    struct Series {
        var name: String
        var points: [(x: Double, y: Double)]
    }

    /// A sentence below the plot about what it shows.
    struct Remark {
        var text: String
        var isGood: Bool
    }

    var title: String
    var xLabel: String
    var yLabel: String
    var series: [Series]
    /// Whether the x axis is logarithmic; values of 0 and below are left out.
    var isXLogarithmic = false
    var isYLogarithmic = false
    /// Whether points are marked: for a few points that were measured one by one.
    var isMarked = false
    /// Texts at places of the x axis, instead of numbers.
    var xTicks: [(place: Double, text: String)]?
    var remarks: [Remark] = []

    /// The number of colours in the style sheet.
    private static let colours = 8
    static let width = 520.0
    static let height = 250.0
    private static let left = 62.0, right = 28.0, top = 14.0, bottom = 46.0

    /// The figure with its title and legend; empty when there are no points.
    var html: String {
        let drawn = drawable
        guard drawn.contains(where: { !$0.points.isEmpty }) else { return "" }
        let x = Axis(drawn.flatMap { $0.points.map(\.x) }, isLogarithmic: isXLogarithmic, ticks: xTicks)
        let y = Axis(drawn.flatMap { $0.points.map(\.y) } + (isYLogarithmic ? [] : [0]), isLogarithmic: isYLogarithmic)
        var svg = """
            <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" aria-label="\(title.escaped)">
            """
        for tick in y.ticks {
            let place = Self.round(bottomEdge - tick.share * plotHeight)
            svg += """
                <line class="grid" x1="\(Self.left)" x2="\(Self.width - Self.right)" y1="\(place)" y2="\(place)"/>\
                <text x="\(Self.left - 7)" y="\(place + 4)" text-anchor="end">\(tick.text.escaped)</text>
                """
        }
        for tick in x.ticks {
            let place = Self.round(Self.left + tick.share * plotWidth)
            svg += """
                <line class="grid" x1="\(place)" x2="\(place)" y1="\(bottomEdge)" y2="\(bottomEdge + 4)"/>\
                <text x="\(place)" y="\(bottomEdge + 18)" text-anchor="middle">\(tick.text.escaped)</text>
                """
        }
        svg += """
            <line class="axis" x1="\(Self.left)" x2="\(Self.width - Self.right)" y1="\(bottomEdge)" y2="\(bottomEdge)"/>\
            <text class="label" x="\(Self.left + plotWidth / 2)" y="\(Self.height - 6)" text-anchor="middle">\
            \(xLabel.escaped)</text>
            """
        for (number, one) in drawn.enumerated() { svg += draw(one, number, x, y) }
        return """
            <figure><figcaption>\(title.escaped)<span>\(yLabel.escaped)</span></figcaption>\(svg)</svg>\(legend)\(remarked)</figure>
            """
    }

    private var remarked: String {
        remarks.map { "<p class=\"\($0.isGood ? "good" : "bad")\">\($0.text.escaped)</p>" }.joined()
    }

    private var drawable: [Series] {
        series.map { one in
            Series(
                name: one.name,
                points: one.points.filter {
                    $0.x.isFinite && $0.y.isFinite && (!isXLogarithmic || $0.x > 0) && (!isYLogarithmic || $0.y > 0)
                })
        }
    }

    private var plotWidth: Double { Self.width - Self.left - Self.right }
    private var plotHeight: Double { Self.height - Self.top - Self.bottom }
    private var bottomEdge: Double { Self.height - Self.bottom }

    private func draw(_ one: Series, _ number: Int, _ x: Axis, _ y: Axis) -> String {
        let places = one.points.map { point in
            (
                x: Self.round(Self.left + x.share(of: point.x) * plotWidth),
                y: Self.round(bottomEdge - y.share(of: point.y) * plotHeight), point: point
            )
        }
        let line = places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
        var text = "<polyline class=\"s\(number % Self.colours)\" points=\"\(line)\"/>"
        guard isMarked || places.count == 1 else { return text }
        for place in places {
            text += """
                <circle class="s\(number % Self.colours)" cx="\(place.x)" cy="\(place.y)" r="3.5"><title>\(one.name.escaped): \
                \(Figures.short(place.point.y)) at \(Figures.short(place.point.x))</title></circle>
                """
        }
        return text
    }

    private var legend: String {
        guard series.count > 1 else { return "" }
        let items = series.enumerated().map { number, one in
            "<li><i class=\"s\(number % Self.colours)\"></i>\(one.name.escaped)</li>"
        }
        return "<ul class=\"legend\">\(items.joined())</ul>"
    }

    private static func round(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

extension String {
    /// The text, escaped for HTML.
    var escaped: String {
        var text = ""
        for character in self {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.append(character)
            }
        }
        return text
    }
}
