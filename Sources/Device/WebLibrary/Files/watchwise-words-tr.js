// The words of the elements in Turkish.

export const words = {
  inbox: "Bildirimler", new: { one: "{n} yeni", other: "{n} yeni" }, empty: "Yeni bir şey yok. Olanlar buraya gelir.",
  seenAll: "Tümünü görüldü say", seen: "Görüldü say", snooze: "Yarın saat 9", archive: "Arşivle", archived: "Arşivlendi: {title}",
  earlier: "Daha eskileri göster", settings: "Ayarlar", back: "Geri", close: "Kapat", loading: "Yükleniyor …",
  offline: "Bağlantı yok: son bilinenler bunlar", signedOut: "Oturum açmadın.", refused: "Sunucu bunu kabul etmedi.",
  blockedBy: "İkinizden biri diğerini engelledi.", forbidden: "Buna burada izin yok.",
  tooOften: "Çok sık oldu: biraz bekle.", tooLarge: "Bu çok uzun.",
  urgent: "acil", critical: "kritik", active: "olağan", aboutActive: "sessiz saatlerde bekler", aboutUrgent: "sessiz saatlerde de",
  aboutCritical: "her şey susturulmuşken bile", interrupts: "Rahatsız edebilir", muteAll: "Kritik olmayan her şeyi sustur",
  quiet: "Sessiz saatler", from: "Başlangıç", to: "Bitiş", quietHint: "O saatlerde yalnızca acil olanlar ses çıkarır; sonunda bir özet gelir.",
  pushOff: "Sayfa kapalıyken de bildir", pushOn: "Sayfa kapalıyken bildirme",
  pushDenied: "Tarayıcı bu sayfanın bildirimlerini engelliyor", pushFailed: "Tarayıcıya şu anda bildirim ulaşmıyor",
  messages: "Mesajlar", write: "Mesaj", send: "Gönder", newest: "En yeni mesaja", typing: "{name} yazıyor …",
  deleted: "Bu mesaj silindi.", edited: "düzenlendi", edit: "Düzenle", delete: "Sil", deleteAsk: "Herkes için silinsin mi?",
  react: "Tepki ver: {emoji}", reply: "Yanıtla", retry: "Yeniden dene", discard: "Vazgeç", waiting: "Bekliyor", sent: "Gönderildi",
  delivered: "İletildi", read: "Okundu", failed: "Gönderilmedi", youBlocked: "Engellediğin kişi: {name}.", block: "Engelle", unblock: "Engeli kaldır",
  blockAsk: "Gerçekten engellensin mi: {name}?", online: "çevrimiçi", away: "çevrimdışı", cancel: "İptal", save: "Kaydet", chatMenu: "Bu sohbetin menüsü",
  messageMenu: "Bu mesajın menüsü", noMessages: "İlk mesajı yaz.", closed: "Bu grubun üyesi değilsin.", you: "Sen", now: "şimdi",
};
