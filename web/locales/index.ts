// The translations, inside the executable. A catalogue is parsed when its language is used first.
import { lazy } from '#lib/lazy.ts'
import type { Locale } from '../locale.ts'
import arabic from './ar.json' with { type: 'text' }
import german from './de.json' with { type: 'text' }

/** A translation, or one per plural form of the language (CLDR: zero, one, two, few, many, other). */
type Entry = string | Readonly<Record<string, string>>

export class Catalogue {
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #rules: Intl.PluralRules

  constructor(locale: Locale, json: string) {
    this.#entries = new Map(Object.entries(JSON.parse(json) as Record<string, Entry>))
    this.#rules = new Intl.PluralRules(locale)
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
}

const CATALOGUES: Readonly<Record<Exclude<Locale, 'en'>, () => Catalogue>> = {
  // TypeScript takes the files for the objects that they hold.
  ar: lazy(() => new Catalogue('ar', arabic as unknown as string)),
  de: lazy(() => new Catalogue('de', german as unknown as string)),
}

export const catalogueOf = (locale: Exclude<Locale, 'en'>): Catalogue => CATALOGUES[locale]()
