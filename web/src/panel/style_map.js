// Sets properties of an element's style from code, which the content security policy allows, as an attribute it would not.

import {noChange} from "lit-html";
import {directive, Directive} from "lit-html/directive.js";

class StyleMap extends Directive {
  /** @param {Record<string, string>} properties */
  render(properties) {
    void properties;
    return noChange;
  }

  /** @param {import("lit-html/directive.js").ElementPart} part @param {[Record<string, string>]} arguments_ */
  update(part, [properties]) {
    const element = /** @type {HTMLElement} */ (part.element);
    for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
    return noChange;
  }
}

/** In the place of an attribute: `<i ${styleMap({left: "4px"})}>`. */
export const styleMap = directive(StyleMap);
