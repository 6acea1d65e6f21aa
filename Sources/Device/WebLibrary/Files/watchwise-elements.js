import { define } from "./element-base.js";
import { WatchWiseChat } from "./element-chat.js";
import { WatchWiseInbox } from "./element-inbox.js";
// Two elements for pages: <watchwise-inbox>, a bell with its inbox, and <watchwise-chat>. docs: Sources/Device/WebLibrary.

define("watchwise-inbox", WatchWiseInbox);
define("watchwise-chat", WatchWiseChat);

export { WatchWiseChat, WatchWiseInbox };
