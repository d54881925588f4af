// A long list of which only the rows in view, and some around them, are elements.

import { nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { oncePerFrame } from "../state/store.js";

const kMargin = 12;        // rows beyond each end of the view
export const kRowsMax = 200;  // elements at most, however tall the view is

/**
 * The rows to make for a view.
 * @param {{count: number, rowHeight: number, top: number, height: number}} view `top`: pixels of the list above the view
 * @returns {[number, number]} begin and end
 */
export function rowsInView({ count, rowHeight, top, height }) {
  const first = Math.max(0, Math.floor(top / rowHeight) - kMargin);
  const begin = Math.min(first, Math.max(0, count - 1));
  const end = Math.min(count, begin + Math.min(kRowsMax, Math.ceil(height / rowHeight) + 2 * kMargin));
  return [begin, Math.max(begin, end)];
}

/**
 * Fills `body` (positioned) with rows at absolute places. The list scrolls in `scroller`, or with the page.
 * @param {object} options
 * @param {HTMLElement} options.body
 * @param {HTMLElement|null} options.scroller
 * @param {number} options.rowHeight
 * @param {(index: number) => unknown} options.row a template whose element has the class `row`
 * @param {(index: number) => string} [options.key]
 */
export function createVirtualList({ body, scroller, rowHeight, row, key }) {
  let count = 0;
  const target = scroller ?? window;

  function draw() {
    const top = scroller ? scroller.scrollTop - body.offsetTop : -body.getBoundingClientRect().top;
    const height = scroller ? scroller.clientHeight : document.documentElement.clientHeight;
    const [begin, end] = rowsInView({ count, rowHeight, top: Math.max(0, top), height });
    const indices = [];
    for (let i = begin; i < end; ++i) indices.push(i);
    render(
      key
        ? repeat(indices, (i) => key(i), (i) => row(i))
        : indices.map((i) => row(i)),
      body,
    );
    for (let i = begin; i < end; ++i) {
      const element = /** @type {HTMLElement|undefined} */ (body.children[i - begin]);
      if (element) element.style.transform = `translateY(${i * rowHeight}px)`;
    }
    body.style.height = `${count * rowHeight}px`;
  }
  const later = oncePerFrame(draw);
  target.addEventListener("scroll", later, { passive: true });
  window.addEventListener("resize", later);

  return {
    /** @param {number} rows */
    update(rows) {
      count = rows;
      draw();
    },
    /** Brings a row into view. @param {number} index */
    reveal(index) {
      const at = index * rowHeight;
      if (scroller) {
        const offset = body.offsetTop;
        if (at + offset < scroller.scrollTop) scroller.scrollTop = at + offset;
        else if (at + offset + rowHeight > scroller.scrollTop + scroller.clientHeight) {
          scroller.scrollTop = at + offset + rowHeight - scroller.clientHeight;
        }
      }
      draw();
    },
    destroy() {
      target.removeEventListener("scroll", later);
      window.removeEventListener("resize", later);
      render(nothing, body);
    },
  };
}

