// The words of the elements in English.

export const words = {
  inbox: "Notifications", new: { one: "{n} new", other: "{n} new" }, empty: "Nothing new. What happens arrives here.",
  seenAll: "Mark all as seen", seen: "Mark as seen", snooze: "Tomorrow at 9", archive: "Archive", archived: "Archived: {title}",
  earlier: "Show earlier ones", settings: "Settings", back: "Back", close: "Close", loading: "Loading …",
  offline: "No connection: this is what was here last", signedOut: "You are not signed in.", refused: "The server refused this.",
  blockedBy: "One of you two has blocked the other.", forbidden: "This is not allowed here.",
  tooOften: "This was too often: wait a moment.", tooLarge: "This is too long.",
  urgent: "urgent", critical: "critical", active: "active", aboutActive: "waits in quiet hours", aboutUrgent: "also in quiet hours",
  aboutCritical: "even when everything is muted", interrupts: "May interrupt", muteAll: "Mute everything that is not critical",
  quiet: "Quiet hours", from: "From", to: "To", quietHint: "Nothing rings then, but for what is urgent; a summary comes at the end.",
  pushOff: "Notify me also when the page is closed", pushOn: "No notifications when the page is closed",
  pushDenied: "The browser blocks notifications of this page", pushFailed: "The browser cannot be reached by notifications now",
  messages: "Messages", write: "Message", send: "Send", newest: "To the newest message", typing: "{name} is writing …",
  deleted: "This message was deleted.", edited: "edited", edit: "Edit", delete: "Delete", deleteAsk: "Delete it for everybody?",
  react: "React with {emoji}", reply: "Reply", retry: "Try again", discard: "Give up", waiting: "Waiting", sent: "Sent",
  delivered: "Delivered", read: "Read", failed: "Not sent", youBlocked: "You have blocked {name}.", block: "Block", unblock: "Unblock",
  blockAsk: "Really block {name}?", online: "online", away: "offline", cancel: "Cancel", save: "Save", chatMenu: "Menu of this chat",
  messageMenu: "Menu of this message", noMessages: "Write the first message.", closed: "You are not a member of this group.", you: "You", now: "now",
};
