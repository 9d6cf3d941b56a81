// Numbers and names in the form that pages show.
import { bytesText as englishBytes } from '#lib/bytes-text.ts'
import { lazy } from '#lib/lazy.ts'
import { currentLocale, type Locale } from './locale.ts'
import { timeFormats, type TimeFormats } from './relative.ts'

/** Arabic numbers are written with the digits of addresses, dates and code beside them. */
const NUMBER_LOCALES: Readonly<Record<Locale, string>> = {
  ar: 'ar-u-nu-latn',
  de: 'de-DE',
  en: 'en-US',
  'en-XA': 'en-US',
}

/** Making a format takes longer than using it. */
const numberFormats: Readonly<Record<Locale, () => Intl.NumberFormat>> = {
  ar: lazy(() => new Intl.NumberFormat(NUMBER_LOCALES.ar)),
  de: lazy(() => new Intl.NumberFormat(NUMBER_LOCALES.de)),
  en: lazy(() => new Intl.NumberFormat(NUMBER_LOCALES.en)),
  'en-XA': lazy(() => new Intl.NumberFormat(NUMBER_LOCALES.en)),
}

/** The text with a capital first letter. */
export const sentenceCase = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** `12,345`. Most numbers are small, and the same in every language. */
export const formatNumber = (value: number): string =>
  Number.isInteger(value) && value >= 0 && value < 1000
    ? String(value)
    : numberFormats[currentLocale()]().format(value)

const TIME_FORMATS: Readonly<Record<Locale, () => TimeFormats | null>> = {
  ar: lazy(() => timeFormats('ar-u-nu-latn')),
  de: lazy(() => timeFormats('de-DE')),
  en: () => null,
  'en-XA': () => null,
}

/** The formats of times in the language of the response. Null for English. */
export const currentTimeFormats = (): TimeFormats | null => TIME_FORMATS[currentLocale()]()

/** A size for people: `512 bytes`, `1.5 KiB`, `20 MiB`. */
export const bytesText = (bytes: number): string =>
  bytes < 1024 && currentLocale() !== 'en'
    ? bytes.toLocaleString(NUMBER_LOCALES[currentLocale()], {
        style: 'unit',
        unit: 'byte',
        unitDisplay: 'long',
      })
    : englishBytes(bytes)

/** The cost of a session in dollars: `$0.04`, `$12.30`, `< $0.01`. */
export const formatCost = (usd: number): string =>
  usd > 0 && usd < 0.01 ? '< $0.01' : `$${usd.toFixed(2)}`

/** The short name of a month from 1 to 12. */
export const monthName = (month: number): string =>
  new Date(Date.UTC(2026, month - 1, 15)).toLocaleDateString(NUMBER_LOCALES[currentLocale()], {
    month: 'short',
    timeZone: 'UTC',
  })

/** The first seven characters of a commit id. */
export const shortSha = (sha: string): string => sha.slice(0, 7)

/** A stable hash of a text (FNV-1a, 32 bits), which chooses colours. */
export const hashText = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
