// The look of the elements. A page changes it by variables (`--watchwise-accent`) and by `::part(…)`; light or dark is what the
// page says by its `color-scheme`.

const BASE = `
:host {
  --ground: var(--watchwise-ground, light-dark(#fff, #17181c)); --raised: var(--watchwise-raised, light-dark(#f1f2f5, #25272d));
  --ink: var(--watchwise-ink, light-dark(#1b1d22, #eceef2)); --soft: var(--watchwise-soft, light-dark(#5a606c, #a8aebb));
  --line: var(--watchwise-line, light-dark(#dcdfe5, #363a43)); --accent: var(--watchwise-accent, light-dark(#2b52c8, #a4baff));
  --on-accent: var(--watchwise-on-accent, light-dark(#fff, #0b1a4a)); --tint: var(--watchwise-tint, light-dark(#e4eafb, #273152));
  --warn: var(--watchwise-warn, light-dark(#8a4b00, #f0b35e)); --bad: var(--watchwise-bad, light-dark(#b3261e, #ff9d95));
  --bad-tint: var(--watchwise-bad-tint, light-dark(#fbe3e1, #47211f)); --round: var(--watchwise-round, .75rem);
  font-family: var(--watchwise-font, inherit); font-size: var(--watchwise-size, .9375rem); font-weight: 400; line-height: 1.45; color: var(--ink); text-align: start; letter-spacing: normal;
}
:host([hidden]), [hidden] { display: none !important; }
*, ::before, ::after { box-sizing: border-box; }
ul, ol, p { margin: 0; padding: 0; list-style: none; }
button, input, textarea { font: inherit; color: inherit; letter-spacing: inherit; }
button { cursor: pointer; border: 0; background: none; padding: .3rem .6rem; border-radius: .5rem; font-weight: 600; color: var(--accent); }
button:hover:not(.primary) { background: var(--raised); }
button:disabled { opacity: .55; cursor: default; }
.icon { flex: none; display: inline-grid; place-items: center; width: 2.25rem; height: 2.25rem; padding: 0; }
.framed { border: 1px solid var(--line); }
.primary { background: var(--accent); color: var(--on-accent); }
.danger { color: var(--bad); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .5rem; }
.sign { width: 1.25rem; height: 1.25rem; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.sign.dots { stroke-width: 3; }
[dir=rtl] .sign.back, [dir=rtl] .sign.send { transform: scaleX(-1); }
small, time { font-size: .8125rem; color: var(--soft); }
.grow { flex: 1; min-width: 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bar { display: flex; align-items: center; gap: .35rem; padding: .5rem; padding-inline-start: 1rem; border-bottom: 1px solid var(--line); }
.title { font-weight: 700; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.notice { padding: .4rem 1rem; background: var(--raised); font-size: .8125rem; color: var(--soft); }
.notice.bad { background: var(--bad-tint); color: var(--ink); }
.nothing { padding: 2.5rem 1.5rem; text-align: center; color: var(--soft); }
[popover] { position: fixed; inset: auto; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: var(--round); background: var(--ground); color: var(--ink); box-shadow: 0 8px 32px #0004; }
[popover]:focus { outline: none; }
`;

const INBOX = `
:host { display: inline-block; }
:host([inline]) { display: block; }
.bell { position: relative; color: inherit; border-radius: 50%; width: 2.5rem; height: 2.5rem; }
.bell:focus-visible { outline-offset: -2px; border-radius: 50%; }
.bell .sign { width: 1.5rem; height: 1.5rem; }
.count { position: absolute; inset-block-start: .1rem; inset-inline-start: 50%; min-width: 1.15rem; padding: 0 .3rem; border-radius: 1rem; background: var(--watchwise-badge, var(--bad)); color: var(--watchwise-on-badge, var(--ground)); font-size: .7rem; line-height: 1.15rem; font-weight: 700; text-align: center; }
.panel { width: min(var(--watchwise-width, 24rem), 100vw - 1rem); max-height: min(var(--watchwise-height, 36rem), 100dvh - 1rem); overflow: hidden; flex-direction: column; background: var(--ground); }
.panel:popover-open, :host([inline]) .panel { display: flex; }
:host([inline]) .panel { width: auto; max-height: var(--watchwise-height, none); border: 1px solid var(--line); border-radius: var(--round); }
:host([inline]) .closes { display: none; }
.rows { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; }
.note { position: relative; display: flex; gap: .5rem; align-items: flex-start; padding: .7rem .6rem; padding-inline-start: 1rem; border-bottom: 1px solid var(--line); }
.note:last-child { border-bottom: 0; }
.note.fresh { background: var(--tint); }
.note.fresh::before { content: ""; position: absolute; inset-block: 0; inset-inline-start: 0; width: 3px; background: var(--accent); }
.note.urgent::before { background: var(--warn); } .note.critical::before { background: var(--bad); }
.open { all: unset; cursor: pointer; font-weight: 650; overflow-wrap: anywhere; }
.seen .open { font-weight: 450; }
.open::after { content: ""; position: absolute; inset: 0; }
.open:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }
.body { text-align: match-parent; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; white-space: pre-line; }
.meta { display: flex; gap: .5rem; } .fresh time, .fresh .body { color: color-mix(in srgb, var(--ink) 80%, var(--tint)); }
.level { font-size: .8125rem; font-weight: 650; color: var(--warn); } .critical .level { color: var(--bad); }
.acts { position: relative; display: flex; flex: none; margin-block: -.3rem; }
.acts .icon { width: 2rem; height: 2rem; } .acts .sign { width: 1.1rem; height: 1.1rem; }
.more { display: block; margin: .5rem auto; }
.settings { padding: .25rem 1rem 1rem; }
fieldset { border: 0; margin: .9rem 0 0; padding: 0; min-width: 0; } legend { padding: 0; font-weight: 650; }
label { display: flex; gap: .6rem; align-items: baseline; padding: .3rem 0; }
input[type=checkbox] { accent-color: var(--accent); width: 1.05rem; height: 1.05rem; flex: none; translate: 0 .15rem; }
.times { display: flex; gap: 1rem; flex-wrap: wrap; }
input[type=time] { padding: .25rem .5rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--ground); }
@media (max-width: 32rem) {
  .panel:popover-open { inset: 0 !important; width: 100vw; height: 100dvh; max-height: none; border: 0; border-radius: 0; }
  .icon { width: 2.6rem; height: 2.6rem; } .acts .icon { width: 2.4rem; height: 2.4rem; }
}
@media (min-width: 32.01rem) { .panel:popover-open > .bar .closes { display: none; } }
`;

const CHAT = `
:host { display: block; height: var(--watchwise-height, 32rem); min-height: 14rem; }
.chat { position: relative; height: 100%; display: flex; flex-direction: column; background: var(--ground); border: 1px solid var(--line); border-radius: var(--round); overflow: hidden; }
.who { min-width: 0; } .who small { display: block; min-height: 1.2rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.scroller { flex: 1; min-height: 0; overflow-y: auto; overflow-anchor: none; overscroll-behavior: contain; padding: .75rem 1rem; display: flex; flex-direction: column; outline-offset: -3px; }
.messages { margin-top: auto; display: flex; flex-direction: column; gap: .4rem; }
.more { align-self: center; margin-bottom: .5rem; }
.message { align-self: flex-start; max-width: min(32rem, 86%); padding: .45rem .75rem; border-radius: 1rem; border-end-start-radius: .25rem; background: var(--raised); }
.mine { align-self: flex-end; background: var(--tint); border-radius: 1rem; border-end-end-radius: .25rem; }
.message.waiting { outline: 1px dashed var(--soft); outline-offset: -1px; }
.message.failed { background: var(--bad-tint); }
.author { font-size: .8125rem; font-weight: 650; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.gone { font-style: italic; }
.quote { border-inline-start: 3px solid var(--accent); padding-inline-start: .5rem; margin-block: .1rem .25rem; font-size: .8125rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 20rem; }
.foot { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem; min-height: 1.4rem; }
.foot, .foot time { font-size: .75rem; color: color-mix(in srgb, var(--ink) 75%, var(--raised)); }
.dotsButton { width: 1.7rem; height: 1.4rem; margin-inline-start: auto; color: inherit; }
.reaction { padding: 0 .4rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .8125rem; background: var(--ground); color: var(--ink); }
.reaction[aria-pressed=true] { border-color: var(--accent); background: var(--tint); }
button.down { position: absolute; inset-inline-end: 1rem; bottom: 4.5rem; border: 1px solid var(--line); border-radius: 50%; background: var(--ground); }
.writer { display: flex; flex-wrap: wrap; align-items: flex-end; gap: .5rem; padding: .6rem .75rem; border-top: 1px solid var(--line); }
.writer textarea { flex: 1; min-width: 0; resize: none; min-height: 2.4rem; max-height: 9rem; field-sizing: content; padding: .45rem .8rem; border: 1px solid var(--soft); border-radius: 1.2rem; background: var(--ground); }
.writer textarea::placeholder { color: var(--soft); opacity: 1; }
.writer .primary { width: 2.5rem; height: 2.5rem; border-radius: 50%; }
.about { flex: 1 0 100%; display: flex; align-items: center; gap: .5rem; min-width: 0; }
.about p { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.barred { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .75rem 1rem; border-top: 1px solid var(--line); }
.menu { padding: .3rem; min-width: 11rem; }
.menu:popover-open { display: grid; }
.menu button:not(.danger) { color: var(--ink); }
.menu button { text-align: start; padding: .45rem .7rem; font-weight: 550; }
.menu .choices { display: flex; border-bottom: 1px solid var(--line); padding-bottom: .25rem; margin-bottom: .25rem; }
.menu .choices button { padding: .25rem .5rem; font-size: 1.15rem; }
.menu [aria-checked=true] { background: var(--tint); }
@media (hover: hover) { .message:not(:hover, :focus-within) .dotsButton { opacity: 0; } }
`;

const sheets = new Map();

/** The sheets of an element, made once for all elements of its kind. */
export function look(kind) {
  if (!sheets.has(kind)) {
    sheets.set(kind, [BASE, kind === "chat" ? CHAT : INBOX].map(text => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    }));
  }
  return sheets.get(kind);
}
