// The words of the elements in Arabic.

export const words = {
  inbox: "الإشعارات", new: { zero: "لا جديد", one: "إشعار جديد", two: "إشعاران جديدان", few: "{n} إشعارات جديدة", many: "{n} إشعارًا جديدًا", other: "{n} إشعار جديد" },
  empty: "لا جديد. كل ما يحدث يصل إلى هنا.",
  seenAll: "تحديد الكل كمقروء", seen: "تحديد كمقروء", snooze: "غدًا في التاسعة صباحًا", archive: "أرشفة", archived: "تمت الأرشفة: {title}",
  earlier: "عرض الأقدم", settings: "الإعدادات", back: "رجوع", close: "إغلاق", loading: "جارٍ التحميل…",
  offline: "لا يوجد اتصال: هذا آخر ما وصل", signedOut: "لم تسجّل الدخول.", refused: "رفض الخادم هذا الطلب.",
  blockedBy: "أحدكما حظر الآخر.", forbidden: "هذا غير مسموح هنا.",
  tooOften: "محاولات كثيرة: انتظر قليلًا.", tooLarge: "هذا طويل جدًا.",
  urgent: "عاجل", critical: "حرج", active: "عادي", aboutActive: "ينتظر في ساعات الهدوء", aboutUrgent: "حتى في ساعات الهدوء",
  aboutCritical: "حتى عند كتم كل شيء", interrupts: "ما يُسمح له بالتنبيه", muteAll: "كتم كل ما ليس حرجًا",
  quiet: "ساعات الهدوء", from: "من", to: "إلى", quietHint: "لا ينبّهك فيها إلا العاجل، ويصلك ملخّص عند انتهائها.",
  pushOff: "نبّهني حتى والصفحة مغلقة", pushOn: "لا تنبّهني والصفحة مغلقة",
  pushDenied: "المتصفح يحظر إشعارات هذه الصفحة", pushFailed: "لا تصل الإشعارات إلى المتصفح الآن",
  messages: "الرسائل", write: "رسالة", send: "إرسال", newest: "إلى أحدث رسالة", typing: "{name} يكتب الآن…",
  deleted: "حُذفت هذه الرسالة.", edited: "معدّلة", edit: "تعديل", delete: "حذف", deleteAsk: "هل تُحذف عند الجميع؟",
  react: "تفاعل: {emoji}", reply: "رد", retry: "إعادة المحاولة", discard: "تجاهل", waiting: "في الانتظار", sent: "أُرسلت",
  delivered: "وصلت", read: "قُرئت", failed: "لم تُرسل", youBlocked: "لقد حظرت {name}.", block: "حظر", unblock: "إلغاء الحظر",
  blockAsk: "هل تريد حقًا حظر {name}؟", online: "متصل", away: "غير متصل", cancel: "إلغاء", save: "حفظ", chatMenu: "قائمة هذه المحادثة",
  messageMenu: "قائمة هذه الرسالة", noMessages: "اكتب الرسالة الأولى.", closed: "لست عضوًا في هذه المجموعة.", you: "أنت", now: "الآن",
};
