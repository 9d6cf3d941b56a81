// Numbers and names in the form that pages show.
import { lazy } from '#lib/lazy.ts'
import { currentLocale, type Locale } from './locale.ts'
import { timeFormats, type TimeFormats } from './relative.ts'

/** `1 file`, `3 files`. The plural is given when it is not the word with an s. */
export const plural = (amount: number, word: string, many = `${word}s`): string =>
  `${formatNumber(amount)} ${amount === 1 ? word : many}`

/** The text with a capital first letter. */
export const sentenceCase = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** `12,345`. */
export const formatNumber = (value: number): string =>
  value.toLocaleString(NUMBER_LOCALES[currentLocale()])

const TIME_FORMATS: Readonly<Record<Locale, () => TimeFormats | null>> = {
  ar: lazy(() => timeFormats('ar-u-nu-latn')),
  de: lazy(() => timeFormats('de-DE')),
  en: () => null,
}

/** The formats of times in the language of the response. Null for English. */
export const currentTimeFormats = (): TimeFormats | null => TIME_FORMATS[currentLocale()]()

/** Arabic numbers are written with the digits of addresses, dates and code beside them. */
const NUMBER_LOCALES: Readonly<Record<Locale, string>> = {
  ar: 'ar-u-nu-latn',
  de: 'de-DE',
  en: 'en-US',
}

export { bytesText } from '#lib/bytes-text.ts'

/** The cost of a session in dollars: `$0.04`, `$12.30`, `under $0.01`. */
export const formatCost = (usd: number): string =>
  usd > 0 && usd < 0.01 ? 'under $0.01' : `$${usd.toFixed(2)}`

/** The first seven characters of a commit id. */
export const shortSha = (sha: string): string => sha.slice(0, 7)

/** A stable hash of a text (FNV-1a, 32 bits), which chooses colours. */
export const hashText = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
