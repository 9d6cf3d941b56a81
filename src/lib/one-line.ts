/**
 * A name from outside as one line of at most `maxChars` characters. Control characters and
 * invisible or direction-changing characters are removed. Empty when nothing is left.
 */
export function oneLine(text: string, maxChars: number): string {
  const clean = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return [...clean].slice(0, maxChars).join('').trim()
}
