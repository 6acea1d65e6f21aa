/// The files of the demo's pages, with what a browser must know about each.
///
/// - Confinement: any
enum DemoFiles {
    /// A file as it is served.
    ///
    /// - Confinement: any
    struct File: Sendable {
        /// Its media type.
        let type: String
        let bytes: [UInt8]
        /// The entity tag: a value that changes with the file (RFC 9110, section 8.8.3).
        let tag: String
        let isWorker: Bool

        init(_ path: String, _ bytes: [UInt8]) {
            let ending = path.split(separator: ".").last.map(String.init) ?? ""
            type = DemoFiles.types[ending] ?? "application/octet-stream"
            self.bytes = bytes
            // FNV-1a: the tag must change with the file, and nothing more.
            let sum = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            tag = "\"\(String(sum, radix: 16))\""
            isWorker = path == "worker.js"
        }
    }

    /// The one page, which shows the application of the stage.
    static let page = File("page.html", PackageResources.page_html)

    /// The file at a path of the server; nil when there is none.
    static func file(at path: String) -> File? {
        guard path.hasPrefix("/demo/") else { return nil }
        return files[String(path.dropFirst("/demo/".count))]
    }

    private static let types = [
        "html": "text/html", "js": "text/javascript", "css": "text/css", "json": "application/json",
        "png": "image/png", "svg": "image/svg+xml",
    ]

    private static let files = Dictionary(uniqueKeysWithValues: contents.map { ($0.key, File($0.key, $0.value)) })

    /// By their places in the folder `Pages`.
    static let contents: [String: [UInt8]] = [
        "air/map.js": PackageResources.map_js,
        "air/stations.js": PackageResources.stations_js,
        "board/board.js": PackageResources.board_js,
        "board/card.js": PackageResources.card_js,
        "film/blocks.js": PackageResources.blocks_js,
        "film/chat.js": PackageResources.chat_js,
        "film/chats.js": PackageResources.chats_js,
        "film/conversation.js": PackageResources.conversation_js,
        "film/data.js": PackageResources.data_js,
        "film/dialogs.js": PackageResources.dialogs_js,
        "film/home.js": PackageResources.home_js,
        "film/members.js": PackageResources.members_js,
        "film/membership.js": PackageResources.membership_js,
        "film/message.js": PackageResources.message_js,
        "film/network.js": PackageResources.network_js,
        "film/people.js": PackageResources.people_js,
        "film/rooms.js": PackageResources.rooms_js,
        "film/search.js": PackageResources.search_js,
        "icons/air-quality.png": PackageResources.air_quality_png,
        "icons/air-quality.svg": PackageResources.air_quality_svg,
        "icons/announcements.png": PackageResources.announcements_png,
        "icons/announcements.svg": PackageResources.announcements_svg,
        "icons/film-network.png": PackageResources.film_network_png,
        "icons/film-network.svg": PackageResources.film_network_svg,
        "icons/ski-resort.png": PackageResources.ski_resort_png,
        "icons/ski-resort.svg": PackageResources.ski_resort_svg,
        "icons/task-board.png": PackageResources.task_board_png,
        "icons/task-board.svg": PackageResources.task_board_svg,
        "look/board.css": PackageResources.board_css,
        "look/film.css": PackageResources.film_css,
        "look/frame.css": PackageResources.frame_css,
        "look/parts.css": PackageResources.parts_css,
        "look/places.css": PackageResources.places_css,
        "look/tokens.css": PackageResources.tokens_css,
        "notices/announcements.js": PackageResources.announcements_js,
        "resort/mountain.js": PackageResources.mountain_js,
        "resort/resort.js": PackageResources.resort_js,
        "shell/conflict.js": PackageResources.conflict_js,
        "shell/dom.js": PackageResources.dom_js,
        "shell/drag.js": PackageResources.drag_js,
        "shell/drawn.js": PackageResources.drawn_js,
        "shell/frame.js": PackageResources.frame_js,
        "shell/here.js": PackageResources.here_js,
        "shell/inbox.js": PackageResources.inbox_js,
        "shell/menu.js": PackageResources.menu_js,
        "shell/notify.js": PackageResources.notify_js,
        "shell/panes.js": PackageResources.panes_js,
        "shell/settings.js": PackageResources.settings_js,
        "shell/start.js": PackageResources.start_js,
        "shell/words.js": PackageResources.words_js,
        "words/de.json": PackageResources.de_json,
        "words/el.json": PackageResources.el_json,
        "words/en.json": PackageResources.en_json,
        "words/it.json": PackageResources.it_json,
        "words/pl.json": PackageResources.pl_json,
        "worker.js": PackageResources.worker_js,
    ]
}
