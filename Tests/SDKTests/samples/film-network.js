import { WatchWise } from "./watchwise.js";

/** A social network for film lovers. `screen` has a function for each part of the page, and is called at every change. */
export async function filmNetwork({ screen, ...options }) {
  const ww = await WatchWise.open(options);
  ww.chats.watch(({ items }) => screen.chats(items.map(({ with: person, last, unread }) => ({
    person, unread, text: last?.text ?? last?.product?.title, isWaiting: Boolean(last?.pending),
  }))));
  ww.inbox.watch(({ items }) => screen.news(items));
  ww.unread.watch(({ value }) => screen.badge(value.chats + value.notifications));
  return {
    follow: person => ww.topics.follow(`user:${person}`),
    followDirector: id => ww.topics.follow(`person:${id}`),
    recommend: (person, film, note) => ww.chat({ with: person }).recommend(film, { note }),
    review: (id, film, stars, text) => ww.doc(`reviews/${id}`).put({ author: ww.user, product: film, rating: stars, text }),
    seen: id => ww.inbox.seen({ ids: [id] }),
    openChat(person) {
      const chat = ww.chat({ with: person });
      const off = chat.watch(({ items }) => {
        screen.messages(items);
        const last = items.findLast(({ n }) => n);
        if (last && last.from !== ww.user) chat.read(last.n);
      });
      return { say: text => chat.send(text), close: off };
    },
    signOut: () => ww.signOut(),
  };
}
