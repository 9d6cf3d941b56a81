/**
 * The same text with another letter near its end. A fixed ending is that of one token in 62, and the
 * last letter of base64 has bits that mean nothing.
 */
export function spoil(token: string): string {
  const at = token.length - 4
  return `${token.slice(0, at)}${token[at] === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`
}
