/**
 * The language of a response. The site server sets it once per request, so that no component
 * passes it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { readCookie, setCookie } from './cookies.ts'

/**
 * `en-XA` is English in which every translated text is in brackets, so that a test and translators
 * see what is not translated. Only its cookie chooses it.
 */
export type Locale = 'en' | 'de' | 'ar' | 'en-XA'

/** Languages that readers can choose. `languageName` says how much of one is translated. */
export const OFFERED_LOCALES: readonly Locale[] = ['en', 'de', 'ar']

/** The language that texts are written in, and the one of visitors who name no other. */
const DEFAULT_LOCALE: Locale = 'en'

/** Names of the languages in themselves. */
export const LOCALE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  de: 'Deutsch',
  ar: 'العربية',
  'en-XA': 'English ⟦XA⟧',
}

const LOCALE_COOKIE = 'hearth-locale'
/** Browsers keep cookies for at most 400 days (RFC 6265bis, section 5.5). */
const COOKIE_SECONDS = 400 * 24 * 3600
/** A longer header is cut: browsers send far less. */
const MAX_HEADER_LENGTH = 500

const storage = new AsyncLocalStorage<Locale>()

/** The language of the response that is being rendered. */
export const currentLocale = (): Locale => storage.getStore() ?? DEFAULT_LOCALE

/** Renders in a language. */
export const withLocale = <T>(locale: Locale, render: () => T): T => storage.run(locale, render)

/** The direction that a language is written in. */
export const directionOf = (locale: Locale): 'ltr' | 'rtl' => (locale === 'ar' ? 'rtl' : 'ltr')

/** The language of a tag such as `de-AT`; null when the site does not have it. */
export function toLocale(tag: string | null | undefined): Locale | null {
  const language = (tag ?? '').trim().toLowerCase().split(/[-_]/, 1)[0]
  return OFFERED_LOCALES.find((one) => one === language) ?? null
}

/** The language that a browser prefers most (RFC 9110, section 12.5.4); null when none is here. */
export function preferredLocale(header: string | null): Locale | null {
  let best: Locale | null = null
  let bestQuality = 0
  for (const range of (header ?? '').slice(0, MAX_HEADER_LENGTH).split(',')) {
    const [tag, ...parameters] = range.split(';')
    const given = parameters.find((one) => one.trim().startsWith('q='))
    const quality = given === undefined ? 1 : Number(given.trim().slice(2))
    const locale = toLocale(tag)
    if (locale === null || !(quality > bestQuality)) continue
    best = locale
    bestQuality = quality
  }
  return best
}

/** The language of a request: that of the cookie, else the one that the browser prefers. */
export const localeOf = (request: Request, secure: boolean): Locale =>
  chosenLocale(request, secure) ??
  preferredLocale(request.headers.get('accept-language')) ??
  DEFAULT_LOCALE

/** The language that this browser has chosen; null when it follows the browser's own. */
export function chosenLocale(request: Request, secure: boolean): Locale | null {
  const tag = readCookie(request, secure, LOCALE_COOKIE)
  return tag === 'en-XA' ? tag : toLocale(tag)
}

/** Remembers a choice in this browser. Null forgets it. */
export const localeCookie = (locale: Locale | null, { secure }: { secure: boolean }): string =>
  setCookie(secure, LOCALE_COOKIE, locale ?? '', locale === null ? 0 : COOKIE_SECONDS)
