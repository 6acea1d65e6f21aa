/* Written by Sources/Ground/CEmbeddedFiles/list. */
#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char Device_WebLibrary_Files_Built_LICENSE[] = {
#embed "../../Device/WebLibrary/Files/Built/LICENSE"
};

static const unsigned char Device_WebLibrary_Files_Built_made_from_txt[] = {
#embed "../../Device/WebLibrary/Files/Built/made-from.txt"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_elements_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-elements.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_elements_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-elements.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_live_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-live.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_live_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-live.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_native_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-native.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_native_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-native.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_push_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-push.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_push_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-push.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_sqlite_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-sqlite.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_sqlite_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-sqlite.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_streams_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-streams.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_streams_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-streams.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_ar_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-ar.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_ar_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-ar.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_de_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-de.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_de_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-de.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_el_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-el.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_el_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-el.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_en_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-en.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_en_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-en.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_it_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-it.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_it_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-it.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_pl_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-pl.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_pl_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-pl.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_tr_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-tr.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_words_tr_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-words-tr.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_worker_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-worker.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_worker_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-worker.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_writes_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-writes.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_writes_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise-writes.js.map"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_js[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise.js"
};

static const unsigned char Device_WebLibrary_Files_Built_watchwise_js_map[] = {
#embed "../../Device/WebLibrary/Files/Built/watchwise.js.map"
};

static const unsigned char Device_WebLibrary_Files_README_md[] = {
#embed "../../Device/WebLibrary/Files/README.md"
};

static const unsigned char Device_WebLibrary_Files_build_js[] = {
#embed "../../Device/WebLibrary/Files/build.js"
};

static const unsigned char Device_WebLibrary_Files_changes_js[] = {
#embed "../../Device/WebLibrary/Files/changes.js"
};

static const unsigned char Device_WebLibrary_Files_commands_js[] = {
#embed "../../Device/WebLibrary/Files/commands.js"
};

static const unsigned char Device_WebLibrary_Files_connection_js[] = {
#embed "../../Device/WebLibrary/Files/connection.js"
};

static const unsigned char Device_WebLibrary_Files_core_js[] = {
#embed "../../Device/WebLibrary/Files/core.js"
};

static const unsigned char Device_WebLibrary_Files_element_base_js[] = {
#embed "../../Device/WebLibrary/Files/element-base.js"
};

static const unsigned char Device_WebLibrary_Files_element_chat_js[] = {
#embed "../../Device/WebLibrary/Files/element-chat.js"
};

static const unsigned char Device_WebLibrary_Files_element_dom_js[] = {
#embed "../../Device/WebLibrary/Files/element-dom.js"
};

static const unsigned char Device_WebLibrary_Files_element_inbox_js[] = {
#embed "../../Device/WebLibrary/Files/element-inbox.js"
};

static const unsigned char Device_WebLibrary_Files_element_look_js[] = {
#embed "../../Device/WebLibrary/Files/element-look.js"
};

static const unsigned char Device_WebLibrary_Files_element_messages_js[] = {
#embed "../../Device/WebLibrary/Files/element-messages.js"
};

static const unsigned char Device_WebLibrary_Files_element_preferences_js[] = {
#embed "../../Device/WebLibrary/Files/element-preferences.js"
};

static const unsigned char Device_WebLibrary_Files_element_signs_js[] = {
#embed "../../Device/WebLibrary/Files/element-signs.js"
};

static const unsigned char Device_WebLibrary_Files_element_words_js[] = {
#embed "../../Device/WebLibrary/Files/element-words.js"
};

static const unsigned char Device_WebLibrary_Files_engine_js[] = {
#embed "../../Device/WebLibrary/Files/engine.js"
};

static const unsigned char Device_WebLibrary_Files_errors_js[] = {
#embed "../../Device/WebLibrary/Files/errors.js"
};

static const unsigned char Device_WebLibrary_Files_event_batch_js[] = {
#embed "../../Device/WebLibrary/Files/event-batch.js"
};

static const unsigned char Device_WebLibrary_Files_extras_js[] = {
#embed "../../Device/WebLibrary/Files/extras.js"
};

static const unsigned char Device_WebLibrary_Files_fetching_js[] = {
#embed "../../Device/WebLibrary/Files/fetching.js"
};

static const unsigned char Device_WebLibrary_Files_handles_js[] = {
#embed "../../Device/WebLibrary/Files/handles.js"
};

static const unsigned char Device_WebLibrary_Files_iterating_js[] = {
#embed "../../Device/WebLibrary/Files/iterating.js"
};

static const unsigned char Device_WebLibrary_Files_lanes_js[] = {
#embed "../../Device/WebLibrary/Files/lanes.js"
};

static const unsigned char Device_WebLibrary_Files_late_js[] = {
#embed "../../Device/WebLibrary/Files/late.js"
};

static const unsigned char Device_WebLibrary_Files_layers_js[] = {
#embed "../../Device/WebLibrary/Files/layers.js"
};

static const unsigned char Device_WebLibrary_Files_lists_js[] = {
#embed "../../Device/WebLibrary/Files/lists.js"
};

static const unsigned char Device_WebLibrary_Files_loading_native_js[] = {
#embed "../../Device/WebLibrary/Files/loading-native.js"
};

static const unsigned char Device_WebLibrary_Files_loading_js[] = {
#embed "../../Device/WebLibrary/Files/loading.js"
};

static const unsigned char Device_WebLibrary_Files_mirror_js[] = {
#embed "../../Device/WebLibrary/Files/mirror.js"
};

static const unsigned char Device_WebLibrary_Files_names_js[] = {
#embed "../../Device/WebLibrary/Files/names.js"
};

static const unsigned char Device_WebLibrary_Files_needs_js[] = {
#embed "../../Device/WebLibrary/Files/needs.js"
};

static const unsigned char Device_WebLibrary_Files_opening_js[] = {
#embed "../../Device/WebLibrary/Files/opening.js"
};

static const unsigned char Device_WebLibrary_Files_outbox_js[] = {
#embed "../../Device/WebLibrary/Files/outbox.js"
};

static const unsigned char Device_WebLibrary_Files_overlay_js[] = {
#embed "../../Device/WebLibrary/Files/overlay.js"
};

static const unsigned char Device_WebLibrary_Files_patched_js[] = {
#embed "../../Device/WebLibrary/Files/patched.js"
};

static const unsigned char Device_WebLibrary_Files_patches_js[] = {
#embed "../../Device/WebLibrary/Files/patches.js"
};

static const unsigned char Device_WebLibrary_Files_paths_js[] = {
#embed "../../Device/WebLibrary/Files/paths.js"
};

static const unsigned char Device_WebLibrary_Files_presence_js[] = {
#embed "../../Device/WebLibrary/Files/presence.js"
};

static const unsigned char Device_WebLibrary_Files_push_js[] = {
#embed "../../Device/WebLibrary/Files/push.js"
};

static const unsigned char Device_WebLibrary_Files_received_js[] = {
#embed "../../Device/WebLibrary/Files/received.js"
};

static const unsigned char Device_WebLibrary_Files_retrying_js[] = {
#embed "../../Device/WebLibrary/Files/retrying.js"
};

static const unsigned char Device_WebLibrary_Files_sending_js[] = {
#embed "../../Device/WebLibrary/Files/sending.js"
};

static const unsigned char Device_WebLibrary_Files_session_js[] = {
#embed "../../Device/WebLibrary/Files/session.js"
};

static const unsigned char Device_WebLibrary_Files_sizes_js[] = {
#embed "../../Device/WebLibrary/Files/sizes.js"
};

static const unsigned char Device_WebLibrary_Files_sources_js[] = {
#embed "../../Device/WebLibrary/Files/sources.js"
};

static const unsigned char Device_WebLibrary_Files_store_copied_js[] = {
#embed "../../Device/WebLibrary/Files/store-copied.js"
};

static const unsigned char Device_WebLibrary_Files_store_indexeddb_js[] = {
#embed "../../Device/WebLibrary/Files/store-indexeddb.js"
};

static const unsigned char Device_WebLibrary_Files_store_memory_js[] = {
#embed "../../Device/WebLibrary/Files/store-memory.js"
};

static const unsigned char Device_WebLibrary_Files_store_js[] = {
#embed "../../Device/WebLibrary/Files/store.js"
};

static const unsigned char Device_WebLibrary_Files_stream_watches_js[] = {
#embed "../../Device/WebLibrary/Files/stream-watches.js"
};

static const unsigned char Device_WebLibrary_Files_tabs_js[] = {
#embed "../../Device/WebLibrary/Files/tabs.js"
};

static const unsigned char Device_WebLibrary_Files_transport_js[] = {
#embed "../../Device/WebLibrary/Files/transport.js"
};

static const unsigned char Device_WebLibrary_Files_trimming_js[] = {
#embed "../../Device/WebLibrary/Files/trimming.js"
};

static const unsigned char Device_WebLibrary_Files_typing_js[] = {
#embed "../../Device/WebLibrary/Files/typing.js"
};

static const unsigned char Device_WebLibrary_Files_users_js[] = {
#embed "../../Device/WebLibrary/Files/users.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_elements_d_ts[] = {
#embed "../../Device/WebLibrary/Files/watchwise-elements.d.ts"
};

static const unsigned char Device_WebLibrary_Files_watchwise_elements_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-elements.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_live_d_ts[] = {
#embed "../../Device/WebLibrary/Files/watchwise-live.d.ts"
};

static const unsigned char Device_WebLibrary_Files_watchwise_live_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-live.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_push_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-push.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_sqlite_d_ts[] = {
#embed "../../Device/WebLibrary/Files/watchwise-sqlite.d.ts"
};

static const unsigned char Device_WebLibrary_Files_watchwise_sqlite_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-sqlite.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_streams_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-streams.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_words_ar_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-words-ar.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_words_de_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-words-de.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_words_el_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-words-el.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_words_en_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-words-en.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_words_it_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-words-it.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_words_pl_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-words-pl.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_words_tr_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-words-tr.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_worker_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-worker.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_writes_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise-writes.js"
};

static const unsigned char Device_WebLibrary_Files_watchwise_d_ts[] = {
#embed "../../Device/WebLibrary/Files/watchwise.d.ts"
};

static const unsigned char Device_WebLibrary_Files_watchwise_js[] = {
#embed "../../Device/WebLibrary/Files/watchwise.js"
};

static const unsigned char Device_WebLibrary_Files_windows_js[] = {
#embed "../../Device/WebLibrary/Files/windows.js"
};

static const unsigned char Device_WebLibrary_Files_writes_js[] = {
#embed "../../Device/WebLibrary/Files/writes.js"
};

static const unsigned char Programs_Demo_Pages_air_map_js[] = {
#embed "../../Programs/Demo/Pages/air/map.js"
};

static const unsigned char Programs_Demo_Pages_air_stations_js[] = {
#embed "../../Programs/Demo/Pages/air/stations.js"
};

static const unsigned char Programs_Demo_Pages_board_board_js[] = {
#embed "../../Programs/Demo/Pages/board/board.js"
};

static const unsigned char Programs_Demo_Pages_board_card_js[] = {
#embed "../../Programs/Demo/Pages/board/card.js"
};

static const unsigned char Programs_Demo_Pages_film_blocks_js[] = {
#embed "../../Programs/Demo/Pages/film/blocks.js"
};

static const unsigned char Programs_Demo_Pages_film_chat_js[] = {
#embed "../../Programs/Demo/Pages/film/chat.js"
};

static const unsigned char Programs_Demo_Pages_film_chats_js[] = {
#embed "../../Programs/Demo/Pages/film/chats.js"
};

static const unsigned char Programs_Demo_Pages_film_conversation_js[] = {
#embed "../../Programs/Demo/Pages/film/conversation.js"
};

static const unsigned char Programs_Demo_Pages_film_data_js[] = {
#embed "../../Programs/Demo/Pages/film/data.js"
};

static const unsigned char Programs_Demo_Pages_film_dialogs_js[] = {
#embed "../../Programs/Demo/Pages/film/dialogs.js"
};

static const unsigned char Programs_Demo_Pages_film_home_js[] = {
#embed "../../Programs/Demo/Pages/film/home.js"
};

static const unsigned char Programs_Demo_Pages_film_members_js[] = {
#embed "../../Programs/Demo/Pages/film/members.js"
};

static const unsigned char Programs_Demo_Pages_film_membership_js[] = {
#embed "../../Programs/Demo/Pages/film/membership.js"
};

static const unsigned char Programs_Demo_Pages_film_message_js[] = {
#embed "../../Programs/Demo/Pages/film/message.js"
};

static const unsigned char Programs_Demo_Pages_film_network_js[] = {
#embed "../../Programs/Demo/Pages/film/network.js"
};

static const unsigned char Programs_Demo_Pages_film_people_js[] = {
#embed "../../Programs/Demo/Pages/film/people.js"
};

static const unsigned char Programs_Demo_Pages_film_rooms_js[] = {
#embed "../../Programs/Demo/Pages/film/rooms.js"
};

static const unsigned char Programs_Demo_Pages_film_search_js[] = {
#embed "../../Programs/Demo/Pages/film/search.js"
};

static const unsigned char Programs_Demo_Pages_icons_air_quality_png[] = {
#embed "../../Programs/Demo/Pages/icons/air-quality.png"
};

static const unsigned char Programs_Demo_Pages_icons_air_quality_svg[] = {
#embed "../../Programs/Demo/Pages/icons/air-quality.svg"
};

static const unsigned char Programs_Demo_Pages_icons_announcements_png[] = {
#embed "../../Programs/Demo/Pages/icons/announcements.png"
};

static const unsigned char Programs_Demo_Pages_icons_announcements_svg[] = {
#embed "../../Programs/Demo/Pages/icons/announcements.svg"
};

static const unsigned char Programs_Demo_Pages_icons_film_network_png[] = {
#embed "../../Programs/Demo/Pages/icons/film-network.png"
};

static const unsigned char Programs_Demo_Pages_icons_film_network_svg[] = {
#embed "../../Programs/Demo/Pages/icons/film-network.svg"
};

static const unsigned char Programs_Demo_Pages_icons_ski_resort_png[] = {
#embed "../../Programs/Demo/Pages/icons/ski-resort.png"
};

static const unsigned char Programs_Demo_Pages_icons_ski_resort_svg[] = {
#embed "../../Programs/Demo/Pages/icons/ski-resort.svg"
};

static const unsigned char Programs_Demo_Pages_icons_task_board_png[] = {
#embed "../../Programs/Demo/Pages/icons/task-board.png"
};

static const unsigned char Programs_Demo_Pages_icons_task_board_svg[] = {
#embed "../../Programs/Demo/Pages/icons/task-board.svg"
};

static const unsigned char Programs_Demo_Pages_look_board_css[] = {
#embed "../../Programs/Demo/Pages/look/board.css"
};

static const unsigned char Programs_Demo_Pages_look_film_css[] = {
#embed "../../Programs/Demo/Pages/look/film.css"
};

static const unsigned char Programs_Demo_Pages_look_frame_css[] = {
#embed "../../Programs/Demo/Pages/look/frame.css"
};

static const unsigned char Programs_Demo_Pages_look_parts_css[] = {
#embed "../../Programs/Demo/Pages/look/parts.css"
};

static const unsigned char Programs_Demo_Pages_look_places_css[] = {
#embed "../../Programs/Demo/Pages/look/places.css"
};

static const unsigned char Programs_Demo_Pages_look_tokens_css[] = {
#embed "../../Programs/Demo/Pages/look/tokens.css"
};

static const unsigned char Programs_Demo_Pages_notices_announcements_js[] = {
#embed "../../Programs/Demo/Pages/notices/announcements.js"
};

static const unsigned char Programs_Demo_Pages_page_html[] = {
#embed "../../Programs/Demo/Pages/page.html"
};

static const unsigned char Programs_Demo_Pages_resort_mountain_js[] = {
#embed "../../Programs/Demo/Pages/resort/mountain.js"
};

static const unsigned char Programs_Demo_Pages_resort_resort_js[] = {
#embed "../../Programs/Demo/Pages/resort/resort.js"
};

static const unsigned char Programs_Demo_Pages_shell_conflict_js[] = {
#embed "../../Programs/Demo/Pages/shell/conflict.js"
};

static const unsigned char Programs_Demo_Pages_shell_dom_js[] = {
#embed "../../Programs/Demo/Pages/shell/dom.js"
};

static const unsigned char Programs_Demo_Pages_shell_drag_js[] = {
#embed "../../Programs/Demo/Pages/shell/drag.js"
};

static const unsigned char Programs_Demo_Pages_shell_drawn_js[] = {
#embed "../../Programs/Demo/Pages/shell/drawn.js"
};

static const unsigned char Programs_Demo_Pages_shell_frame_js[] = {
#embed "../../Programs/Demo/Pages/shell/frame.js"
};

static const unsigned char Programs_Demo_Pages_shell_here_js[] = {
#embed "../../Programs/Demo/Pages/shell/here.js"
};

static const unsigned char Programs_Demo_Pages_shell_inbox_js[] = {
#embed "../../Programs/Demo/Pages/shell/inbox.js"
};

static const unsigned char Programs_Demo_Pages_shell_menu_js[] = {
#embed "../../Programs/Demo/Pages/shell/menu.js"
};

static const unsigned char Programs_Demo_Pages_shell_notify_js[] = {
#embed "../../Programs/Demo/Pages/shell/notify.js"
};

static const unsigned char Programs_Demo_Pages_shell_panes_js[] = {
#embed "../../Programs/Demo/Pages/shell/panes.js"
};

static const unsigned char Programs_Demo_Pages_shell_settings_js[] = {
#embed "../../Programs/Demo/Pages/shell/settings.js"
};

static const unsigned char Programs_Demo_Pages_shell_start_js[] = {
#embed "../../Programs/Demo/Pages/shell/start.js"
};

static const unsigned char Programs_Demo_Pages_shell_words_js[] = {
#embed "../../Programs/Demo/Pages/shell/words.js"
};

static const unsigned char Programs_Demo_Pages_words_de_json[] = {
#embed "../../Programs/Demo/Pages/words/de.json"
};

static const unsigned char Programs_Demo_Pages_words_el_json[] = {
#embed "../../Programs/Demo/Pages/words/el.json"
};

static const unsigned char Programs_Demo_Pages_words_en_json[] = {
#embed "../../Programs/Demo/Pages/words/en.json"
};

static const unsigned char Programs_Demo_Pages_words_it_json[] = {
#embed "../../Programs/Demo/Pages/words/it.json"
};

static const unsigned char Programs_Demo_Pages_words_pl_json[] = {
#embed "../../Programs/Demo/Pages/words/pl.json"
};

static const unsigned char Programs_Demo_Pages_worker_js[] = {
#embed "../../Programs/Demo/Pages/worker.js"
};

static const unsigned char Threads_Configuration_Ready_air_quality_configuration_json[] = {
#embed "../../Threads/Configuration/Ready/air-quality-configuration.json"
};

static const unsigned char Threads_Configuration_Ready_air_quality_triggers_json[] = {
#embed "../../Threads/Configuration/Ready/air-quality-triggers.json"
};

static const unsigned char Threads_Configuration_Ready_announcements_configuration_json[] = {
#embed "../../Threads/Configuration/Ready/announcements-configuration.json"
};

static const unsigned char Threads_Configuration_Ready_announcements_triggers_json[] = {
#embed "../../Threads/Configuration/Ready/announcements-triggers.json"
};

static const unsigned char Threads_Configuration_Ready_film_network_configuration_json[] = {
#embed "../../Threads/Configuration/Ready/film-network-configuration.json"
};

static const unsigned char Threads_Configuration_Ready_film_network_triggers_json[] = {
#embed "../../Threads/Configuration/Ready/film-network-triggers.json"
};

static const unsigned char Threads_Configuration_Ready_ski_resort_configuration_json[] = {
#embed "../../Threads/Configuration/Ready/ski-resort-configuration.json"
};

static const unsigned char Threads_Configuration_Ready_ski_resort_triggers_json[] = {
#embed "../../Threads/Configuration/Ready/ski-resort-triggers.json"
};

static const unsigned char Threads_Configuration_Ready_task_board_configuration_json[] = {
#embed "../../Threads/Configuration/Ready/task-board-configuration.json"
};

static const unsigned char Threads_Configuration_Ready_task_board_triggers_json[] = {
#embed "../../Threads/Configuration/Ready/task-board-triggers.json"
};

#define FILE(path, bytes) {path, bytes, sizeof bytes}

static const struct watchwise_embedded_file files[] = {
    FILE("Device/WebLibrary/Files/Built/LICENSE", Device_WebLibrary_Files_Built_LICENSE),
    FILE("Device/WebLibrary/Files/Built/made-from.txt", Device_WebLibrary_Files_Built_made_from_txt),
    FILE("Device/WebLibrary/Files/Built/watchwise-elements.js", Device_WebLibrary_Files_Built_watchwise_elements_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-elements.js.map", Device_WebLibrary_Files_Built_watchwise_elements_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-live.js", Device_WebLibrary_Files_Built_watchwise_live_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-live.js.map", Device_WebLibrary_Files_Built_watchwise_live_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-native.js", Device_WebLibrary_Files_Built_watchwise_native_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-native.js.map", Device_WebLibrary_Files_Built_watchwise_native_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-push.js", Device_WebLibrary_Files_Built_watchwise_push_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-push.js.map", Device_WebLibrary_Files_Built_watchwise_push_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-sqlite.js", Device_WebLibrary_Files_Built_watchwise_sqlite_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-sqlite.js.map", Device_WebLibrary_Files_Built_watchwise_sqlite_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-streams.js", Device_WebLibrary_Files_Built_watchwise_streams_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-streams.js.map", Device_WebLibrary_Files_Built_watchwise_streams_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-ar.js", Device_WebLibrary_Files_Built_watchwise_words_ar_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-ar.js.map", Device_WebLibrary_Files_Built_watchwise_words_ar_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-de.js", Device_WebLibrary_Files_Built_watchwise_words_de_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-de.js.map", Device_WebLibrary_Files_Built_watchwise_words_de_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-el.js", Device_WebLibrary_Files_Built_watchwise_words_el_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-el.js.map", Device_WebLibrary_Files_Built_watchwise_words_el_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-en.js", Device_WebLibrary_Files_Built_watchwise_words_en_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-en.js.map", Device_WebLibrary_Files_Built_watchwise_words_en_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-it.js", Device_WebLibrary_Files_Built_watchwise_words_it_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-it.js.map", Device_WebLibrary_Files_Built_watchwise_words_it_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-pl.js", Device_WebLibrary_Files_Built_watchwise_words_pl_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-pl.js.map", Device_WebLibrary_Files_Built_watchwise_words_pl_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-tr.js", Device_WebLibrary_Files_Built_watchwise_words_tr_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-words-tr.js.map", Device_WebLibrary_Files_Built_watchwise_words_tr_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-worker.js", Device_WebLibrary_Files_Built_watchwise_worker_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-worker.js.map", Device_WebLibrary_Files_Built_watchwise_worker_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise-writes.js", Device_WebLibrary_Files_Built_watchwise_writes_js),
    FILE("Device/WebLibrary/Files/Built/watchwise-writes.js.map", Device_WebLibrary_Files_Built_watchwise_writes_js_map),
    FILE("Device/WebLibrary/Files/Built/watchwise.js", Device_WebLibrary_Files_Built_watchwise_js),
    FILE("Device/WebLibrary/Files/Built/watchwise.js.map", Device_WebLibrary_Files_Built_watchwise_js_map),
    FILE("Device/WebLibrary/Files/README.md", Device_WebLibrary_Files_README_md),
    FILE("Device/WebLibrary/Files/build.js", Device_WebLibrary_Files_build_js),
    FILE("Device/WebLibrary/Files/changes.js", Device_WebLibrary_Files_changes_js),
    FILE("Device/WebLibrary/Files/commands.js", Device_WebLibrary_Files_commands_js),
    FILE("Device/WebLibrary/Files/connection.js", Device_WebLibrary_Files_connection_js),
    FILE("Device/WebLibrary/Files/core.js", Device_WebLibrary_Files_core_js),
    FILE("Device/WebLibrary/Files/element-base.js", Device_WebLibrary_Files_element_base_js),
    FILE("Device/WebLibrary/Files/element-chat.js", Device_WebLibrary_Files_element_chat_js),
    FILE("Device/WebLibrary/Files/element-dom.js", Device_WebLibrary_Files_element_dom_js),
    FILE("Device/WebLibrary/Files/element-inbox.js", Device_WebLibrary_Files_element_inbox_js),
    FILE("Device/WebLibrary/Files/element-look.js", Device_WebLibrary_Files_element_look_js),
    FILE("Device/WebLibrary/Files/element-messages.js", Device_WebLibrary_Files_element_messages_js),
    FILE("Device/WebLibrary/Files/element-preferences.js", Device_WebLibrary_Files_element_preferences_js),
    FILE("Device/WebLibrary/Files/element-signs.js", Device_WebLibrary_Files_element_signs_js),
    FILE("Device/WebLibrary/Files/element-words.js", Device_WebLibrary_Files_element_words_js),
    FILE("Device/WebLibrary/Files/engine.js", Device_WebLibrary_Files_engine_js),
    FILE("Device/WebLibrary/Files/errors.js", Device_WebLibrary_Files_errors_js),
    FILE("Device/WebLibrary/Files/event-batch.js", Device_WebLibrary_Files_event_batch_js),
    FILE("Device/WebLibrary/Files/extras.js", Device_WebLibrary_Files_extras_js),
    FILE("Device/WebLibrary/Files/fetching.js", Device_WebLibrary_Files_fetching_js),
    FILE("Device/WebLibrary/Files/handles.js", Device_WebLibrary_Files_handles_js),
    FILE("Device/WebLibrary/Files/iterating.js", Device_WebLibrary_Files_iterating_js),
    FILE("Device/WebLibrary/Files/lanes.js", Device_WebLibrary_Files_lanes_js),
    FILE("Device/WebLibrary/Files/late.js", Device_WebLibrary_Files_late_js),
    FILE("Device/WebLibrary/Files/layers.js", Device_WebLibrary_Files_layers_js),
    FILE("Device/WebLibrary/Files/lists.js", Device_WebLibrary_Files_lists_js),
    FILE("Device/WebLibrary/Files/loading-native.js", Device_WebLibrary_Files_loading_native_js),
    FILE("Device/WebLibrary/Files/loading.js", Device_WebLibrary_Files_loading_js),
    FILE("Device/WebLibrary/Files/mirror.js", Device_WebLibrary_Files_mirror_js),
    FILE("Device/WebLibrary/Files/names.js", Device_WebLibrary_Files_names_js),
    FILE("Device/WebLibrary/Files/needs.js", Device_WebLibrary_Files_needs_js),
    FILE("Device/WebLibrary/Files/opening.js", Device_WebLibrary_Files_opening_js),
    FILE("Device/WebLibrary/Files/outbox.js", Device_WebLibrary_Files_outbox_js),
    FILE("Device/WebLibrary/Files/overlay.js", Device_WebLibrary_Files_overlay_js),
    FILE("Device/WebLibrary/Files/patched.js", Device_WebLibrary_Files_patched_js),
    FILE("Device/WebLibrary/Files/patches.js", Device_WebLibrary_Files_patches_js),
    FILE("Device/WebLibrary/Files/paths.js", Device_WebLibrary_Files_paths_js),
    FILE("Device/WebLibrary/Files/presence.js", Device_WebLibrary_Files_presence_js),
    FILE("Device/WebLibrary/Files/push.js", Device_WebLibrary_Files_push_js),
    FILE("Device/WebLibrary/Files/received.js", Device_WebLibrary_Files_received_js),
    FILE("Device/WebLibrary/Files/retrying.js", Device_WebLibrary_Files_retrying_js),
    FILE("Device/WebLibrary/Files/sending.js", Device_WebLibrary_Files_sending_js),
    FILE("Device/WebLibrary/Files/session.js", Device_WebLibrary_Files_session_js),
    FILE("Device/WebLibrary/Files/sizes.js", Device_WebLibrary_Files_sizes_js),
    FILE("Device/WebLibrary/Files/sources.js", Device_WebLibrary_Files_sources_js),
    FILE("Device/WebLibrary/Files/store-copied.js", Device_WebLibrary_Files_store_copied_js),
    FILE("Device/WebLibrary/Files/store-indexeddb.js", Device_WebLibrary_Files_store_indexeddb_js),
    FILE("Device/WebLibrary/Files/store-memory.js", Device_WebLibrary_Files_store_memory_js),
    FILE("Device/WebLibrary/Files/store.js", Device_WebLibrary_Files_store_js),
    FILE("Device/WebLibrary/Files/stream-watches.js", Device_WebLibrary_Files_stream_watches_js),
    FILE("Device/WebLibrary/Files/tabs.js", Device_WebLibrary_Files_tabs_js),
    FILE("Device/WebLibrary/Files/transport.js", Device_WebLibrary_Files_transport_js),
    FILE("Device/WebLibrary/Files/trimming.js", Device_WebLibrary_Files_trimming_js),
    FILE("Device/WebLibrary/Files/typing.js", Device_WebLibrary_Files_typing_js),
    FILE("Device/WebLibrary/Files/users.js", Device_WebLibrary_Files_users_js),
    FILE("Device/WebLibrary/Files/watchwise-elements.d.ts", Device_WebLibrary_Files_watchwise_elements_d_ts),
    FILE("Device/WebLibrary/Files/watchwise-elements.js", Device_WebLibrary_Files_watchwise_elements_js),
    FILE("Device/WebLibrary/Files/watchwise-live.d.ts", Device_WebLibrary_Files_watchwise_live_d_ts),
    FILE("Device/WebLibrary/Files/watchwise-live.js", Device_WebLibrary_Files_watchwise_live_js),
    FILE("Device/WebLibrary/Files/watchwise-push.js", Device_WebLibrary_Files_watchwise_push_js),
    FILE("Device/WebLibrary/Files/watchwise-sqlite.d.ts", Device_WebLibrary_Files_watchwise_sqlite_d_ts),
    FILE("Device/WebLibrary/Files/watchwise-sqlite.js", Device_WebLibrary_Files_watchwise_sqlite_js),
    FILE("Device/WebLibrary/Files/watchwise-streams.js", Device_WebLibrary_Files_watchwise_streams_js),
    FILE("Device/WebLibrary/Files/watchwise-words-ar.js", Device_WebLibrary_Files_watchwise_words_ar_js),
    FILE("Device/WebLibrary/Files/watchwise-words-de.js", Device_WebLibrary_Files_watchwise_words_de_js),
    FILE("Device/WebLibrary/Files/watchwise-words-el.js", Device_WebLibrary_Files_watchwise_words_el_js),
    FILE("Device/WebLibrary/Files/watchwise-words-en.js", Device_WebLibrary_Files_watchwise_words_en_js),
    FILE("Device/WebLibrary/Files/watchwise-words-it.js", Device_WebLibrary_Files_watchwise_words_it_js),
    FILE("Device/WebLibrary/Files/watchwise-words-pl.js", Device_WebLibrary_Files_watchwise_words_pl_js),
    FILE("Device/WebLibrary/Files/watchwise-words-tr.js", Device_WebLibrary_Files_watchwise_words_tr_js),
    FILE("Device/WebLibrary/Files/watchwise-worker.js", Device_WebLibrary_Files_watchwise_worker_js),
    FILE("Device/WebLibrary/Files/watchwise-writes.js", Device_WebLibrary_Files_watchwise_writes_js),
    FILE("Device/WebLibrary/Files/watchwise.d.ts", Device_WebLibrary_Files_watchwise_d_ts),
    FILE("Device/WebLibrary/Files/watchwise.js", Device_WebLibrary_Files_watchwise_js),
    FILE("Device/WebLibrary/Files/windows.js", Device_WebLibrary_Files_windows_js),
    FILE("Device/WebLibrary/Files/writes.js", Device_WebLibrary_Files_writes_js),
    FILE("Programs/Demo/Pages/air/map.js", Programs_Demo_Pages_air_map_js),
    FILE("Programs/Demo/Pages/air/stations.js", Programs_Demo_Pages_air_stations_js),
    FILE("Programs/Demo/Pages/board/board.js", Programs_Demo_Pages_board_board_js),
    FILE("Programs/Demo/Pages/board/card.js", Programs_Demo_Pages_board_card_js),
    FILE("Programs/Demo/Pages/film/blocks.js", Programs_Demo_Pages_film_blocks_js),
    FILE("Programs/Demo/Pages/film/chat.js", Programs_Demo_Pages_film_chat_js),
    FILE("Programs/Demo/Pages/film/chats.js", Programs_Demo_Pages_film_chats_js),
    FILE("Programs/Demo/Pages/film/conversation.js", Programs_Demo_Pages_film_conversation_js),
    FILE("Programs/Demo/Pages/film/data.js", Programs_Demo_Pages_film_data_js),
    FILE("Programs/Demo/Pages/film/dialogs.js", Programs_Demo_Pages_film_dialogs_js),
    FILE("Programs/Demo/Pages/film/home.js", Programs_Demo_Pages_film_home_js),
    FILE("Programs/Demo/Pages/film/members.js", Programs_Demo_Pages_film_members_js),
    FILE("Programs/Demo/Pages/film/membership.js", Programs_Demo_Pages_film_membership_js),
    FILE("Programs/Demo/Pages/film/message.js", Programs_Demo_Pages_film_message_js),
    FILE("Programs/Demo/Pages/film/network.js", Programs_Demo_Pages_film_network_js),
    FILE("Programs/Demo/Pages/film/people.js", Programs_Demo_Pages_film_people_js),
    FILE("Programs/Demo/Pages/film/rooms.js", Programs_Demo_Pages_film_rooms_js),
    FILE("Programs/Demo/Pages/film/search.js", Programs_Demo_Pages_film_search_js),
    FILE("Programs/Demo/Pages/icons/air-quality.png", Programs_Demo_Pages_icons_air_quality_png),
    FILE("Programs/Demo/Pages/icons/air-quality.svg", Programs_Demo_Pages_icons_air_quality_svg),
    FILE("Programs/Demo/Pages/icons/announcements.png", Programs_Demo_Pages_icons_announcements_png),
    FILE("Programs/Demo/Pages/icons/announcements.svg", Programs_Demo_Pages_icons_announcements_svg),
    FILE("Programs/Demo/Pages/icons/film-network.png", Programs_Demo_Pages_icons_film_network_png),
    FILE("Programs/Demo/Pages/icons/film-network.svg", Programs_Demo_Pages_icons_film_network_svg),
    FILE("Programs/Demo/Pages/icons/ski-resort.png", Programs_Demo_Pages_icons_ski_resort_png),
    FILE("Programs/Demo/Pages/icons/ski-resort.svg", Programs_Demo_Pages_icons_ski_resort_svg),
    FILE("Programs/Demo/Pages/icons/task-board.png", Programs_Demo_Pages_icons_task_board_png),
    FILE("Programs/Demo/Pages/icons/task-board.svg", Programs_Demo_Pages_icons_task_board_svg),
    FILE("Programs/Demo/Pages/look/board.css", Programs_Demo_Pages_look_board_css),
    FILE("Programs/Demo/Pages/look/film.css", Programs_Demo_Pages_look_film_css),
    FILE("Programs/Demo/Pages/look/frame.css", Programs_Demo_Pages_look_frame_css),
    FILE("Programs/Demo/Pages/look/parts.css", Programs_Demo_Pages_look_parts_css),
    FILE("Programs/Demo/Pages/look/places.css", Programs_Demo_Pages_look_places_css),
    FILE("Programs/Demo/Pages/look/tokens.css", Programs_Demo_Pages_look_tokens_css),
    FILE("Programs/Demo/Pages/notices/announcements.js", Programs_Demo_Pages_notices_announcements_js),
    FILE("Programs/Demo/Pages/page.html", Programs_Demo_Pages_page_html),
    FILE("Programs/Demo/Pages/resort/mountain.js", Programs_Demo_Pages_resort_mountain_js),
    FILE("Programs/Demo/Pages/resort/resort.js", Programs_Demo_Pages_resort_resort_js),
    FILE("Programs/Demo/Pages/shell/conflict.js", Programs_Demo_Pages_shell_conflict_js),
    FILE("Programs/Demo/Pages/shell/dom.js", Programs_Demo_Pages_shell_dom_js),
    FILE("Programs/Demo/Pages/shell/drag.js", Programs_Demo_Pages_shell_drag_js),
    FILE("Programs/Demo/Pages/shell/drawn.js", Programs_Demo_Pages_shell_drawn_js),
    FILE("Programs/Demo/Pages/shell/frame.js", Programs_Demo_Pages_shell_frame_js),
    FILE("Programs/Demo/Pages/shell/here.js", Programs_Demo_Pages_shell_here_js),
    FILE("Programs/Demo/Pages/shell/inbox.js", Programs_Demo_Pages_shell_inbox_js),
    FILE("Programs/Demo/Pages/shell/menu.js", Programs_Demo_Pages_shell_menu_js),
    FILE("Programs/Demo/Pages/shell/notify.js", Programs_Demo_Pages_shell_notify_js),
    FILE("Programs/Demo/Pages/shell/panes.js", Programs_Demo_Pages_shell_panes_js),
    FILE("Programs/Demo/Pages/shell/settings.js", Programs_Demo_Pages_shell_settings_js),
    FILE("Programs/Demo/Pages/shell/start.js", Programs_Demo_Pages_shell_start_js),
    FILE("Programs/Demo/Pages/shell/words.js", Programs_Demo_Pages_shell_words_js),
    FILE("Programs/Demo/Pages/words/de.json", Programs_Demo_Pages_words_de_json),
    FILE("Programs/Demo/Pages/words/el.json", Programs_Demo_Pages_words_el_json),
    FILE("Programs/Demo/Pages/words/en.json", Programs_Demo_Pages_words_en_json),
    FILE("Programs/Demo/Pages/words/it.json", Programs_Demo_Pages_words_it_json),
    FILE("Programs/Demo/Pages/words/pl.json", Programs_Demo_Pages_words_pl_json),
    FILE("Programs/Demo/Pages/worker.js", Programs_Demo_Pages_worker_js),
    FILE("Threads/Configuration/Ready/air-quality-configuration.json", Threads_Configuration_Ready_air_quality_configuration_json),
    FILE("Threads/Configuration/Ready/air-quality-triggers.json", Threads_Configuration_Ready_air_quality_triggers_json),
    FILE("Threads/Configuration/Ready/announcements-configuration.json", Threads_Configuration_Ready_announcements_configuration_json),
    FILE("Threads/Configuration/Ready/announcements-triggers.json", Threads_Configuration_Ready_announcements_triggers_json),
    FILE("Threads/Configuration/Ready/film-network-configuration.json", Threads_Configuration_Ready_film_network_configuration_json),
    FILE("Threads/Configuration/Ready/film-network-triggers.json", Threads_Configuration_Ready_film_network_triggers_json),
    FILE("Threads/Configuration/Ready/ski-resort-configuration.json", Threads_Configuration_Ready_ski_resort_configuration_json),
    FILE("Threads/Configuration/Ready/ski-resort-triggers.json", Threads_Configuration_Ready_ski_resort_triggers_json),
    FILE("Threads/Configuration/Ready/task-board-configuration.json", Threads_Configuration_Ready_task_board_configuration_json),
    FILE("Threads/Configuration/Ready/task-board-triggers.json", Threads_Configuration_Ready_task_board_triggers_json),
};

const struct watchwise_embedded_file *watchwise_embedded_file(size_t index) {
    return index < sizeof files / sizeof *files ? files + index : NULL;
}
