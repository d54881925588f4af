// A name of a series as text. Names come from strangers: they are text nodes only, isolated from the text around them,
// and characters that are invisible or turn text around are written out, as ‹U+202E›.

import { html, nothing } from "lit-html";
import { visible } from "../model/format.js";

/**
 * @typedef {object} Piece
 * @property {string} text
 * @property {boolean} isHit a search found it
 * @property {boolean} isTag it is behind the path
 */

/**
 * Cuts a name where hits begin and end, and where its tags begin.
 * @param {string} name
 * @param {[number, number][]} [hits] ranges of UTF-16 units, ascending
 * @returns {Piece[]}
 */
export function piecesOf(name, hits = []) {
  const semicolon = name.indexOf(";");
  const path = semicolon < 0 ? name.length : semicolon;
  const cuts = new Set([0, path, name.length]);
  for (const [begin, end] of hits) cuts.add(Math.min(begin, name.length)).add(Math.min(end, name.length));
  const sorted = [...cuts].sort((a, b) => a - b);
  const pieces = [];
  for (let i = 0; i + 1 < sorted.length; ++i) {
    const begin = sorted[i];
    pieces.push({
      text: name.slice(begin, sorted[i + 1]),
      isHit: hits.some((hit) => hit[0] <= begin && begin < hit[1]),
      isTag: begin >= path,
    });
  }
  return pieces;
}

/**
 * @param {string} name
 * @param {[number, number][]} [hits]
 */
export function nameText(name, hits) {
  const pieces = piecesOf(name, hits);
  const shown = (/** @type {Piece[]} */ some) => some.map((piece) => piece.isHit ? html`<mark>${visible(piece.text)}</mark>` : visible(piece.text));
  const tags = pieces.filter((piece) => piece.isTag);
  return html`<bdi class="name" title=${visible(name)}>${shown(pieces.filter((piece) => !piece.isTag))}${tags.length === 0 ? nothing
    : html`<span class="tags">${shown(tags)}</span>`}</bdi>`;
}

/** A host's name with its domain muted. @param {string} host */
export function hostText(host) {
  const short = shortHost(host);
  return html`<bdi class="name" title=${visible(host)}>${visible(short)}<span class="domain">${visible(host.slice(short.length))}</span></bdi>`;
}

/** The short name of a host: up to its first dot, unless it is an address. @param {string} host */
export function shortHost(host) {
  return /^[\d.]+$|:/.test(host) ? host : host.split(".", 1)[0];
}
