// What leaves the page: copied texts, saved files, and short messages.

/** @param {HTMLElement} layers @param {string} text */
export function showToast(layers, text) {
  layers.querySelector(".toast")?.remove();
  const toast = document.createElement("div");
  toast.className = "toast";
  toast.setAttribute("role", "status");
  toast.textContent = text;
  layers.append(toast);
  window.setTimeout(() => toast.remove(), 2600);
}

/**
 * Copies a text. Over plain HTTP browsers have no clipboard; then a field is selected and copied from.
 * @param {string} text @param {() => void} done
 */
export function copyText(text, done) {
  const byField = () => {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "hidden";
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    if (isCopied) done();
    else window.prompt("Copy this text:", text);
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byField);
  else byField();
}

/** @param {string} name @param {string} type @param {string|Blob} content */
export function saveFile(name, type, content) {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * A table as CSV (RFC 4180). A text that a spreadsheet would compute gets an apostrophe in front.
 * @param {(string|number|null|undefined)[][]} rows
 */
export function toCsv(rows) {
  const cell = (/** @type {string|number|null|undefined} */ value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
