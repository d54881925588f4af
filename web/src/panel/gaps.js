// The hatch of gaps: 45° lines, 6 px apart, over the time in which nothing came.

/** @typedef {import("./scene.js").Gap} Gap */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Gap[]} gaps
 * @param {object} frame
 * @param {(time: number) => number} frame.x time to canvas px
 * @param {{left: number, top: number, width: number, height: number}} frame.box in canvas px
 * @param {number} frame.ratio canvas px of a CSS px
 * @param {string} frame.stroke @param {string} frame.fill
 */
export function drawGaps(context, gaps, {x, box, ratio, stroke, fill}) {
  if (gaps.length === 0) return;
  context.save();
  context.beginPath();
  for (const gap of gaps) {
    const left = Math.max(box.left, x(gap.from));
    const right = Math.min(box.left + box.width, x(gap.until));
    if (right > left) context.rect(left, box.top, right - left, box.height);
  }
  context.clip();
  context.fillStyle = fill;
  context.fillRect(box.left, box.top, box.width, box.height);
  context.beginPath();
  const apart = 6 * Math.SQRT2 * ratio;
  for (let at = box.left - box.height; at < box.left + box.width; at += apart) {
    context.moveTo(at, box.top + box.height);
    context.lineTo(at + box.height, box.top);
  }
  context.lineWidth = ratio;
  context.strokeStyle = stroke;
  context.stroke();
  context.restore();
}
