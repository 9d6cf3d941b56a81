/**
 * The short codes that people type (RFC 8628 section 6.1): eight consonants, so that no words come
 * about, without the letters that look like others; shown in two halves.
 */

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export function makeUserCode(): string {
  let code = ''
  while (code.length < LENGTH) {
    // Bytes beyond the last whole multiple would make some letters likelier.
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH * 2)))
      if (byte < 240 && code.length < LENGTH) code += LETTERS[byte % LETTERS.length]
  }
  return code
}

export const shownCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/**
 * What a person typed, as it is kept: small letters, spaces and dashes do not matter. Null for what
 * cannot be a code.
 */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[\s\-–—_.]/g, '')
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter))
    ? code
    : null
}
