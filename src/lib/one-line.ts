/**
 * Names that strangers give to what they bring: one line, without controls and without marks that
 * turn text around or hide it, at most `most` characters. Empty when nothing is left.
 */
export function oneLine(text: string, most: number): string {
  const clean = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return [...clean].slice(0, most).join('').trim()
}
