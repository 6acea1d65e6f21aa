// The words of the elements in Polish.

export const words = {
  inbox: "Powiadomienia", new: { one: "{n} nowe", few: "{n} nowe", many: "{n} nowych", other: "{n} nowego" }, empty: "Nic nowego. To, co się dzieje, trafia tutaj.",
  seenAll: "Oznacz wszystkie jako widziane", seen: "Oznacz jako widziane", snooze: "Jutro o 9", archive: "Archiwizuj", archived: "Zarchiwizowano: {title}",
  earlier: "Pokaż wcześniejsze", settings: "Ustawienia", back: "Wstecz", close: "Zamknij", loading: "Wczytywanie …",
  offline: "Brak połączenia: to ostatni znany stan", signedOut: "Nie jesteś zalogowany(-a).", refused: "Serwer odmówił.",
  blockedBy: "Jedno z was zablokowało drugie.", forbidden: "Tutaj nie jest to dozwolone.",
  tooOften: "Za często: poczekaj chwilę.", tooLarge: "To jest za długie.",
  urgent: "pilna", critical: "krytyczna", active: "zwykła", aboutActive: "czeka w godzinach ciszy", aboutUrgent: "także w godzinach ciszy",
  aboutCritical: "nawet gdy wszystko jest wyciszone", interrupts: "Może przerywać", muteAll: "Wycisz wszystko, co nie jest krytyczne",
  quiet: "Godziny ciszy", from: "Od", to: "Do", quietHint: "Wtedy nic nie dzwoni poza pilnymi; na końcu przychodzi podsumowanie.",
  pushOff: "Powiadamiaj także przy zamkniętej stronie", pushOn: "Bez powiadomień przy zamkniętej stronie",
  pushDenied: "Przeglądarka blokuje powiadomienia tej strony", pushFailed: "Przeglądarka nie przyjmuje teraz powiadomień",
  messages: "Wiadomości", write: "Wiadomość", send: "Wyślij", newest: "Do najnowszej wiadomości", typing: "{name} pisze …",
  deleted: "Ta wiadomość została usunięta.", edited: "zmienione", edit: "Edytuj", delete: "Usuń", deleteAsk: "Usunąć dla wszystkich?",
  react: "Zareaguj: {emoji}", reply: "Odpowiedz", retry: "Ponów", discard: "Porzuć", waiting: "Czeka", sent: "Wysłano",
  delivered: "Dostarczono", read: "Przeczytano", failed: "Nie wysłano", youBlocked: "Zablokowana osoba: {name}.", block: "Zablokuj", unblock: "Odblokuj",
  blockAsk: "Na pewno zablokować: {name}?", online: "online", away: "offline", cancel: "Anuluj", save: "Zapisz", chatMenu: "Menu tej rozmowy",
  messageMenu: "Menu tej wiadomości", noMessages: "Napisz pierwszą wiadomość.", closed: "Nie należysz do tej grupy.", you: "Ty", now: "teraz",
};
