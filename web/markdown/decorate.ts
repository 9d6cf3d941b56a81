// What makes a clean document pleasant: coloured code, links in headings, alerts, references. It
// reads the cleaner's own output, whose form is known (balanced tags, every `<`, `>` and `&` of
// text escaped), and adds only markup of its own.
import { icons, type IconName } from '../../assets/icons.ts'
import { grammarOfWord, highlightLines } from '../highlight.ts'
import { ID_PREFIX } from './addresses.ts'
import { linkReferences, shortForm, type LinkContext } from './references.ts'

const ALERT_STYLES: Record<string, { icon: IconName; word: string }> = {
  note: { icon: 'info', word: 'Note' },
  tip: { icon: 'tip', word: 'Tip' },
  important: { icon: 'important', word: 'Important' },
  warning: { icon: 'warning', word: 'Warning' },
  caution: { icon: 'caution', word: 'Caution' },
}

const icon = (name: IconName): string =>
  `<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${icons[name]}"></path></svg>`

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
}
const unescape = (escaped: string): string =>
  escaped.replace(/&(?:amp|lt|gt|quot|#39|#x27);/g, (entity) => entities[entity] ?? entity)

/** The name a heading is linked by: its words in lower case, joined by hyphens. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
    .slice(0, 100) || 'section'

const codeBlock = /<pre><code(?: class="language-([^"]*)")?>([^<]*)<\/code><\/pre>/y
const alertStart =
  /<blockquote>\s*<p>\s*\[!(note|tip|important|warning|caution)\][ \t]*(\n|<br \/>|(?=<\/p>))/iy
const token = /<(\/?)([a-z][a-z0-9]*)([^>]*)>|[^<]+|</y

/** Dresses clean HTML. `breaks` shows line ends inside a paragraph as they were typed. */
export const decorate = (
  html: string,
  context: LinkContext | undefined,
  breaks: boolean,
): string => {
  const out: string[] = []
  const slugs = new Map<string, number>()
  const quotes: boolean[] = []
  let quiet = 0
  let paragraphs = 0
  let heading: { at: number; text: string; ownId: boolean } | null = null
  let at = 0

  const tryAt = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(html)
  }

  while (at < html.length) {
    if (html.startsWith('<pre><code', at)) {
      const block = tryAt(codeBlock)
      if (block) {
        const word = unescape(block[1] ?? '').split(/[\s,{]/)[0] ?? ''
        const lines = highlightLines(
          unescape(block[2] ?? ''),
          word === '' ? null : grammarOfWord(word),
        )
        out.push(`<pre tabindex="0"><code>${lines.join('\n')}</code></pre>`)
        at += block[0].length
        continue
      }
    }
    if (html.startsWith('<blockquote>', at)) {
      const alert = tryAt(alertStart)
      const kind = alert?.[1]?.toLowerCase() ?? ''
      const look = ALERT_STYLES[kind]
      if (alert && look) {
        out.push(
          `<div class="alert alert-${kind}"><p class="alert-title">${icon(look.icon)}${look.word}</p><p>`,
        )
        quotes.push(true)
        paragraphs++
        at += alert[0].length
        continue
      }
    }
    const found = tryAt(token)
    if (!found) break
    const [whole, close, name, rest = ''] = found
    at += whole.length
    if (name === undefined) {
      if (heading) heading.text += unescape(whole)
      const text = context && quiet === 0 ? linkReferences(whole, context) : whole
      // Between blocks a line end is only layout; after a break it was already counted.
      const ends =
        paragraphs > 0 ? (out.at(-1)?.startsWith('<br') ? /(?<!^)\n/g : /\n/g) : /(?<=\S)\n(?=\S)/g
      out.push(breaks && quiet === 0 ? text.replace(ends, '<br />\n') : text)
      continue
    }
    const opening = close === ''
    if (name === 'blockquote') {
      if (opening) quotes.push(false)
      else if (quotes.pop() === true) {
        out.push('</div>')
        continue
      }
    }
    if (
      name === 'a' ||
      name === 'code' ||
      name === 'pre' ||
      name === 'kbd' ||
      name === 'samp' ||
      name === 'tt'
    )
      quiet += opening ? 1 : -1
    if (name === 'p') paragraphs += opening ? 1 : -1
    if (name === 'a' && opening && context) {
      // An address that stands for itself and leads to this site is shown by its short name.
      const href = unescape(/ href="([^"]*)"/.exec(rest)?.[1] ?? '')
      const end = html.indexOf('</a>', at)
      const short =
        href !== '' && end !== -1 && unescape(html.slice(at, end)) === href
          ? shortForm(href, context)
          : null
      if (short !== null) {
        out.push(whole, Bun.escapeHTML(short))
        if (heading) heading.text += short
        at = end
        continue
      }
    }
    if (name === 'table') {
      out.push(
        opening
          ? `<div class="table-wrap" role="group" aria-label="Table" tabindex="0">${whole}`
          : `${whole}</div>`,
      )
      continue
    }
    if (/^h[1-6]$/.test(name)) {
      if (opening) {
        heading = { at: out.length, text: '', ownId: rest.includes(' id="') }
        out.push(whole)
        continue
      }
      if (heading) {
        const slug = slugOf(heading.text)
        const seen = slugs.get(slug) ?? 0
        slugs.set(slug, seen + 1)
        const id = Bun.escapeHTML(`${ID_PREFIX}${slug}${seen > 0 ? `-${seen}` : ''}`)
        if (!heading.ownId) out[heading.at] = (out[heading.at] ?? '').replace(/>$/, ` id="${id}">`)
        const href = heading.ownId ? (/ id="([^"]*)"/.exec(out[heading.at] ?? '')?.[1] ?? id) : id
        out.push(
          `<a class="anchor" href="#${encodeURI(unescape(href))}" aria-label="Link to this heading">${icon('link')}</a>`,
        )
        heading = null
      }
    }
    out.push(whole)
  }
  return out.join('')
}
