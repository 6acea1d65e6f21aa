// The words of the elements in Italian.

export const words = {
  inbox: "Notifiche", new: { one: "{n} nuova", other: "{n} nuove" }, empty: "Nessuna novità. Quel che succede arriva qui.",
  seenAll: "Segna tutte come viste", seen: "Segna come vista", snooze: "Domani alle 9", archive: "Archivia", archived: "Archiviata: {title}",
  earlier: "Mostra le precedenti", settings: "Opzioni", back: "Indietro", close: "Chiudi", loading: "Carico …",
  offline: "Nessuna connessione: questo è quanto c’era per ultimo", signedOut: "Non hai effettuato l’accesso.", refused: "Il server ha rifiutato.",
  blockedBy: "Uno di voi due ha bloccato l’altro.", forbidden: "Qui non è permesso.",
  tooOften: "Troppo spesso: aspetta un momento.", tooLarge: "È troppo lungo.",
  urgent: "urgente", critical: "critica", active: "attiva", aboutActive: "aspetta nelle ore di silenzio", aboutUrgent: "anche nelle ore di silenzio",
  aboutCritical: "anche se tutto è silenziato", interrupts: "Può interrompere", muteAll: "Silenzia tutto ciò che non è critico",
  quiet: "Ore di silenzio", from: "Dalle", to: "Alle", quietHint: "Non suona nulla, tranne le urgenze; alla fine arriva un riepilogo.",
  pushOff: "Avvisami anche a pagina chiusa", pushOn: "Niente avvisi a pagina chiusa",
  pushDenied: "Il browser blocca gli avvisi di questa pagina", pushFailed: "Ora il browser non riceve avvisi",
  messages: "Messaggi", write: "Messaggio", send: "Invia", newest: "Al messaggio più recente", typing: "{name} sta scrivendo …",
  deleted: "Questo messaggio è stato eliminato.", edited: "modificato", edit: "Modifica", delete: "Elimina", deleteAsk: "Eliminarlo per tutti?",
  react: "Reagisci con {emoji}", reply: "Rispondi", retry: "Riprova", discard: "Rinuncia", waiting: "In attesa", sent: "Inviato",
  delivered: "Consegnato", read: "Letto", failed: "Non inviato", youBlocked: "Hai bloccato {name}.", block: "Blocca", unblock: "Sblocca",
  blockAsk: "Bloccare davvero {name}?", online: "online", away: "offline", cancel: "Annulla", save: "Salva", chatMenu: "Menu di questa chat",
  messageMenu: "Menu di questo messaggio", noMessages: "Scrivi il primo messaggio.", closed: "Non fai parte di questo gruppo.", you: "Tu", now: "adesso",
};
