// Which series have to do with a panel: those of its host, or of its family.

/**
 * The series in which a panel's neighbours are: all of its host, else all whose paths begin as its first one does.
 * @param {string} name of a series, or a glob, also as `g:GLOB`
 */
export function neighboursOf(name) {
  const plain = name.replace(/^g:/, "");
  const host = /[;*]host=([^;*?[{]+)(\*?)/.exec(plain);
  if (host && host[2] === "") return `{host=${JSON.stringify(host[1])}}`;
  if (host) return `{host=~${JSON.stringify(`${host[1].replace(/[^\w-]/g, "[$&]")}.*`)}}`;
  const first = plain.split(/[.;]/, 1)[0].replace(/[^\w-].*$/, "");
  return `{__name__=~${JSON.stringify(`${first}([.].*)?`)}}`;
}
