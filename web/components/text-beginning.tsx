// The beginning of texts and lists that are longer than their place on a page.
import { t } from '../text.ts'

/** The beginning of a text whose HTML has at most so many bytes. It ends between two words where it can. */
export function beginningOfText(text: string, maxBytes: number): string {
  const wellFormed = text.toWellFormed()
  if (wellFormed.length <= maxBytes && htmlBytes(wellFormed) <= maxBytes) return wellFormed
  let length = Math.min(wellFormed.length, maxBytes)
  for (let bytes = htmlBytes(wellFormed.slice(0, length)); bytes > maxBytes; ) {
    length = Math.trunc((length * maxBytes) / bytes) - 1
    bytes = htmlBytes(wellFormed.slice(0, Math.max(0, length)))
  }
  const cut = wellFormed.slice(0, Math.max(0, length))
  const word = cut.search(/\s\S*$/)
  return word > length / 2 ? cut.slice(0, word) : cut
}

/** The bytes of a text in HTML. */
export const htmlBytes = (text: string): number => Buffer.byteLength(Bun.escapeHTML(text))

/** The first items whose HTML has at most so many bytes; at least one. */
export function firstItems<T>(
  items: readonly T[],
  maxBytes: number,
  bytesOf: (item: T) => number,
): readonly T[] {
  let bytes = 0
  const count = items.findIndex((item) => (bytes += bytesOf(item)) > maxBytes)
  return count < 0 ? items : items.slice(0, Math.max(1, count))
}

/** The beginning of a text without markup, and a link to where it is whole. */
export const TextBeginning = ({
  text,
  maxBytes,
  href,
}: {
  text: string
  maxBytes: number
  href: string
}) => {
  const beginning = beginningOfText(text, maxBytes)
  return (
    <>
      {beginning}
      {beginning.length < text.length && (
        <>
          … <a href={href}>{t('Show the whole text')}</a>
        </>
      )}
    </>
  )
}
