// What the film network's documents say: profiles, films, people of the cinema, series, reviews and ratings.

import { here, collection, doing } from "../shell/here.js";

const byId = path => path.slice(path.indexOf("/") + 1);

/** The profile of a user: `name`, `about`, and which of the pictures. */
export const profileOf = id => collection("users").find(item => item.path === `users/${id}`)?.data ?? null;

/** The other people of the network. */
export const others = () => here.stage.people.map(({ id }) => id).filter(id => id !== here.user);

/** All films, by their titles. */
export function films() {
  const known = new Map(here.stage.films.map(film => [film.id, film]));
  for (const { path, data } of collection("products")) known.set(byId(path), { id: byId(path), ...data });
  return [...known.values()].sort((one, other) => one.title.localeCompare(other.title));
}

/** A film with what is known of it; `hint` is what a message or review says. */
export const filmOf = (id, hint) => films().find(film => film.id === id) ?? { id, title: id, ...hint };

/** A film as writes name it. */
export const productOf = ({ id, title, year }) => ({ id, title, ...(year && { year }) });

/** Directors and actors: `{id, name}`. */
export const cinema = () => collection("people").map(({ path, data }) => ({ id: byId(path), ...data })).sort((one,
  other) => one.name.localeCompare(other.name));

/** Series: `{id, title, seasons}`. */
export const series = () => collection("series").map(({ path, data }) => ({ id: byId(path), ...data })).sort((one,
  other) => one.title.localeCompare(other.title));

/** Reviews, the newest first. */
export const reviews = () => collection("reviews").map(item => ({ ...item.data, path: item.path, pending: item.pending }))
  .sort((one, other) => (other.at ?? "").localeCompare(one.at ?? ""));

const slug = product => product.replaceAll("/", "-");

/** What a user thinks of a film, which also says that the user has watched it. */
export function ratingOf(user, product) {
  const item = collection("ratings").find(item => item.path === `ratings/${user}.${slug(product)}`);
  return item ? { ...item.data, pending: item.pending } : null;
}

/** The mean of all ratings of a film: `{mean, n}`. */
export function meanOf(product) {
  const values = collection("ratings").filter(({ data }) => data.product?.id === product && data.rating).map(({ data }) => data.rating);
  return values.length ? { mean: values.reduce((sum, value) => sum + value, 0) / values.length, n: values.length } : null;
}

/** This user has watched a film, and rates it, or not. */
export function rate(film, rating) {
  doing(here.ww.doc(`ratings/${here.user}.${slug(film.id)}`).put({ author: here.user, product: productOf(film), rating,
    at: new Date().toISOString() }));
}

/** Writes a review; another one of the same film replaces it. */
export function review(film, rating, text) {
  rate(film, rating);
  doing(here.ww.doc(`reviews/${here.user}.${slug(film.id)}`).put({ author: here.user, product: productOf(film), rating, text,
    at: new Date().toISOString() }));
}

/** Begins to watch what every page needs, so that names are there when they are needed. */
export function watchAll() {
  for (const path of ["users", "products", "people", "series", "reviews", "ratings"]) collection(path);
}
