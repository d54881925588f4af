// The last picture of a plot that another panel has now.

export class LastPicture {
  element = document.createElement("img");

  constructor() {
    this.element.className = "panel-picture";
    this.element.alt = "";
    this.element.hidden = true;
  }

  /** @param {HTMLCanvasElement} canvas @param {number} width CSS px @param {() => boolean} isWanted whether there is still no plot once it is made */
  keep(canvas, width, isWanted) {
    this.element.width = width;
    canvas.toBlob((blob) => {
      if (!blob || !isWanted()) return;
      this.forget();
      this.element.src = URL.createObjectURL(blob);
      this.element.hidden = false;
    });
  }

  forget() {
    if (this.element.src) URL.revokeObjectURL(this.element.src);
    this.element.removeAttribute("src");
    this.element.hidden = true;
  }
}
