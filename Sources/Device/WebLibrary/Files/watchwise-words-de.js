// The words of the elements in German.

export const words = {
  inbox: "Mitteilungen", new: { one: "{n} neu", other: "{n} neu" }, empty: "Nichts Neues. Was geschieht, kommt hier an.",
  seenAll: "Alle gesehen", seen: "Gesehen", snooze: "Morgen um 9", archive: "Archivieren", archived: "Archiviert: {title}",
  earlier: "Frühere zeigen", settings: "Einstellungen", back: "Zurück", close: "Schließen", loading: "Lade …",
  offline: "Keine Verbindung: Das ist der letzte Stand", signedOut: "Du bist nicht angemeldet.", refused: "Der Server hat das abgelehnt.",
  blockedBy: "Einer von euch beiden hat den anderen blockiert.", forbidden: "Das ist hier nicht erlaubt.",
  tooOften: "Das war zu oft: warte einen Moment.", tooLarge: "Das ist zu lang.",
  urgent: "dringend", critical: "kritisch", active: "normal", aboutActive: "wartet in Ruhezeiten", aboutUrgent: "auch in Ruhezeiten",
  aboutCritical: "auch wenn alles stumm ist", interrupts: "Darf unterbrechen", muteAll: "Alles stumm, was nicht kritisch ist",
  quiet: "Ruhezeiten", from: "Von", to: "Bis", quietHint: "Dann klingelt nichts außer Dringendem; am Ende kommt eine Übersicht.",
  pushOff: "Auch bei geschlossener Seite benachrichtigen", pushOn: "Keine Mitteilungen bei geschlossener Seite",
  pushDenied: "Der Browser blockiert Mitteilungen dieser Seite", pushFailed: "Der Browser ist jetzt nicht für Mitteilungen erreichbar",
  messages: "Nachrichten", write: "Nachricht", send: "Senden", newest: "Zur neuesten Nachricht", typing: "{name} schreibt …",
  deleted: "Diese Nachricht wurde gelöscht.", edited: "bearbeitet", edit: "Bearbeiten", delete: "Löschen", deleteAsk: "Für alle löschen?",
  react: "Mit {emoji} reagieren", reply: "Antworten", retry: "Noch einmal", discard: "Verwerfen", waiting: "Wartet", sent: "Gesendet",
  delivered: "Zugestellt", read: "Gelesen", failed: "Nicht gesendet", youBlocked: "Du hast {name} blockiert.", block: "Blockieren", unblock: "Freigeben",
  blockAsk: "{name} wirklich blockieren?", online: "online", away: "offline", cancel: "Abbrechen", save: "Speichern", chatMenu: "Menü dieses Chats",
  messageMenu: "Menü dieser Nachricht", noMessages: "Schreib die erste Nachricht.", closed: "Du gehörst nicht zu dieser Gruppe.", you: "Du", now: "jetzt",
};
