/**
 * The texts of the website. Each is written in English where it is used, and the English text is
 * the key of its translations (`locales/`). `scripts/texts.ts` finds texts without `t`.
 */
import { memoize } from '#lib/lazy.ts'
import { catalogueOf } from './locales/index.ts'
import { currentLocale } from './locale.ts'
import { Html, renderChild, type Child } from './jsx/html.ts'
import { formatNumber } from './format.ts'

export type TextValues = Readonly<Record<string, string | number | null | undefined>>

/** A value in a sentence, or a function that puts an element around a part of it. */
type RichValue = Child | ((inner: Html) => Child)

/** A text as fixed parts and names of values, in turn. */
const placesOf = memoize((text: string): readonly string[] => text.split(/\{(\w+)\}/))

/** Puts values into the places `{name}` of a text. */
function fill(text: string, values: TextValues): string {
  const places = placesOf(text)
  let filled = places[0] ?? ''
  for (let at = 1; at < places.length; at += 2) {
    const name = places[at] ?? ''
    filled += Object.hasOwn(values, name) ? String(values[name] ?? '') : `{${name}}`
    filled += places[at + 1] ?? ''
  }
  return filled
}

/** A text in the language of the response. */
export function t(text: string, values?: TextValues): string {
  const locale = currentLocale()
  const found = locale === 'en' ? text : catalogueOf(locale).text(text)
  return values === undefined ? found : fill(found, values)
}

/** A text about a number of things, which stands for `{count}` in it. */
export function tn(one: string, many: string, count: number, values: TextValues = {}): string {
  const locale = currentLocale()
  const english = count === 1 ? one : many
  const text = locale === 'en' ? english : catalogueOf(locale).plural(many, count, english)
  return fill(text, { count: formatNumber(count), ...values })
}

/**
 * A sentence with elements: `rich('See <a>the rules</a> of {name}', { a: (inner) => <a>…</a>, name })`.
 * An element may stand around places, but not around another element.
 */
export function rich(text: string, values: Readonly<Record<string, RichValue>>): Html {
  const locale = currentLocale()
  return new Html(
    fillHtml(partsOf(locale === 'en' ? text : catalogueOf(locale).text(text)), values),
  )
}

/** A sentence with elements about a number of things. */
export function richn(
  one: string,
  many: string,
  count: number,
  values: Readonly<Record<string, RichValue>> = {},
): Html {
  const locale = currentLocale()
  const english = count === 1 ? one : many
  const text = locale === 'en' ? english : catalogueOf(locale).plural(many, count, english)
  return new Html(fillHtml(partsOf(text), { count: formatNumber(count), ...values }))
}

const PARTS = /\{(\w+)\}|<(\w+)>([^<]*)<\/\2>/g

/** A part of a sentence: markup, the place of a value, or an element with what is in it. */
type Part =
  | { readonly kind: 'markup'; readonly html: string }
  | { readonly kind: 'place'; readonly name: string }
  | { readonly kind: 'element'; readonly name: string; readonly inner: readonly Part[] }

function parse(text: string): readonly Part[] {
  const parts: Part[] = []
  let end = 0
  const addMarkup = (until: number): void => {
    if (until > end) parts.push({ kind: 'markup', html: Bun.escapeHTML(text.slice(end, until)) })
  }
  for (const part of text.matchAll(PARTS)) {
    const [whole, place, element, inner = ''] = part
    addMarkup(part.index)
    end = part.index + whole.length
    if (element === undefined) parts.push({ kind: 'place', name: place ?? '' })
    else parts.push({ kind: 'element', name: element, inner: parse(inner) })
  }
  addMarkup(text.length)
  return parts
}

/** The parts of a sentence. Each sentence is parsed once, because a page has a hundred. */
const partsOf = memoize(parse)

function fillHtml(parts: readonly Part[], values: Readonly<Record<string, RichValue>>): string {
  let html = ''
  for (const part of parts) {
    if (part.kind === 'markup') html += part.html
    else if (part.kind === 'place') html += renderChild(values[part.name] as Child)
    else {
      const around = values[part.name] as (inner: Html) => Child
      html += renderChild(around(new Html(fillHtml(part.inner, values))))
    }
  }
  return html
}

/** A table of texts: reading one translates it. */
export function texts<T extends Readonly<Record<string, string>>>(table: T): T {
  const translated = {} as Record<string, string>
  for (const name in table) {
    const text = table[name] as string
    Object.defineProperty(translated, name, { enumerable: true, get: () => t(text) })
  }
  return translated as T
}

/** Names of values have no capital letters and spaces, texts do. */
const LOOKS_LIKE_TEXT = /^\p{Lu}\p{Ll}|\p{L} \p{L}/u

/** Properties of records in tables whose strings are texts. */
export const TABLE_KEYS: ReadonlySet<string> = new Set([
  'add',
  'about',
  'description',
  'empty',
  'hint',
  'label',
  'lead',
  'legend',
  'message',
  'placeholder',
  'summary',
  'text',
  'title',
  'verb',
  'what',
  'why',
  'word',
])

/** A table of records or tuples with texts: reading a label, title, hint … translates it. */
export function localized<T>(table: T): T {
  const isRecord = table?.constructor === Object
  if (!isRecord && !Array.isArray(table)) return table
  const isList = Array.isArray(table)
  const translated = isList ? [] : {}
  for (const [name, value] of Object.entries(table))
    Object.defineProperty(
      translated,
      name,
      typeof value === 'string' && (isList ? LOOKS_LIKE_TEXT.test(value) : TABLE_KEYS.has(name))
        ? { enumerable: true, get: () => t(value) }
        : { enumerable: true, value: localized(value) },
    )
  return translated as T
}
