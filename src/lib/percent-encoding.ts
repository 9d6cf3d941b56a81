/**
 * Encodes a part of a path, and also the reserved characters that `encodeURIComponent` leaves (RFC
 * 3986, section 2.2): parentheses end the address of a Markdown link, and a shell gives all of them a
 * meaning.
 */
export const encodeReserved = (part: string): string =>
  encodeURIComponent(part).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
