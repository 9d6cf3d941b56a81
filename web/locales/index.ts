// The translations, inside the executable. A catalogue is read when its language is used first.
import { readFileSync } from 'node:fs'
import { lazy } from '#lib/lazy.ts'
import type { Locale } from '../locale.ts'
import arabic from './ar.json' with { type: 'file' }
import arabicMails from './mails.ar.json' with { type: 'file' }
import arabicMessages from './messages.ar.json' with { type: 'file' }
import german from './de.json' with { type: 'file' }
import germanMails from './mails.de.json' with { type: 'file' }
import germanMessages from './messages.de.json' with { type: 'file' }
import { MessageTable } from './message-table.ts'

/** A translation, or one per plural form of the language (CLDR: zero, one, two, few, many, other). */
type Entry = string | Readonly<Record<string, string>>

/** The translations of a language. */
interface Translations {
  text(key: string): string
  plural(key: string, count: number, english: string): string
  /** The number of translated texts. */
  readonly size: number
  /** A text that the server made, with its values in it. */
  message(english: string): string
  /** A text of a mail, before its values are filled in. */
  mail(english: string): string
}

export class Catalogue implements Translations {
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #rules: Intl.PluralRules
  readonly #messages: MessageTable
  readonly #mails: ReadonlyMap<string, string>

  /** The number of translated texts. */
  get size(): number {
    return this.#entries.size
  }

  constructor(locale: Locale, json: string, messages = '{}', mails = '{}') {
    this.#entries = new Map(Object.entries(JSON.parse(json) as Record<string, Entry>))
    this.#rules = new Intl.PluralRules(locale)
    this.#messages = new MessageTable(JSON.parse(messages) as Record<string, string>)
    this.#mails = new Map(Object.entries(JSON.parse(mails) as Record<string, string>))
  }

  /** A translation. English where there is none. */
  text(key: string): string {
    const entry = this.#entries.get(key)
    return typeof entry === 'string' ? entry : key
  }

  /** The form of a translation for a number. */
  plural(key: string, count: number, english: string): string {
    const entry = this.#entries.get(key)
    if (entry === undefined || typeof entry === 'string') return entry ?? english
    return entry[this.#rules.select(count)] ?? entry.other ?? english
  }

  message(english: string): string {
    return this.#messages.find(english) ?? english
  }

  mail(english: string): string {
    return this.#mails.get(english) ?? english
  }
}

/** Puts each text into brackets. */
const bracketed: Translations = {
  text: (key) => `⟦${key}⟧`,
  plural: (_key, _count, english) => `⟦${english}⟧`,
  size: 0,
  message: (english) => `⟦${english}⟧`,
  mail: (english) => `⟦${english}⟧`,
}

/** TypeScript takes the files for the objects that they hold; they are paths. */
const readCatalogue = (
  locale: Locale,
  texts: unknown,
  messages: unknown,
  mails: unknown,
): Catalogue =>
  new Catalogue(
    locale,
    readFileSync(texts as string, 'utf8'),
    readFileSync(messages as string, 'utf8'),
    readFileSync(mails as string, 'utf8'),
  )

const CATALOGUES: Readonly<Record<Exclude<Locale, 'en'>, () => Translations>> = {
  ar: lazy(() => readCatalogue('ar', arabic, arabicMessages, arabicMails)),
  de: lazy(() => readCatalogue('de', german, germanMessages, germanMails)),
  'en-XA': () => bracketed,
}

/**
 * How much of a language is translated, of 100. German is complete, as a test shows, so it counts
 * the texts.
 */
export const percentOf = (locale: Exclude<Locale, 'en' | 'en-XA'>): number =>
  Math.min(100, Math.floor((100 * CATALOGUES[locale]().size) / CATALOGUES.de().size))

export const catalogueOf = (locale: Exclude<Locale, 'en'>): Translations => CATALOGUES[locale]()
