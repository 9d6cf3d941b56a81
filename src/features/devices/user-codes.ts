/**
 * User codes (RFC 8628 section 6.1): eight consonants, so that no words occur, without look-alike
 * letters. They are shown in two halves.
 */

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export function createUserCode(): string {
  let code = ''
  while (code.length < LENGTH) {
    // Bytes from 240 on are skipped. They would make some letters more likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH * 2)))
      if (byte < 240 && code.length < LENGTH) code += LETTERS[byte % LETTERS.length]
  }
  return code
}

export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/**
 * Normalises a code that a user typed: case, spaces and dashes do not matter. Null for what cannot
 * be a code.
 */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[\s\-–—_.]/g, '')
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter))
    ? code
    : null
}
