// Short markup for highlighted source: a page has thousands of spans, and most of its bytes would be
// their names. Classes of highlight.js with one colour become one letter, on the shortest element.
// Spans without a colour of their own are left out.

/** The letters of `style.css`, by the classes of highlight.js. */
const LETTERS: Readonly<Record<string, string>> = {
  comment: 'c',
  quote: 'c',
  keyword: 'k',
  'selector-tag': 'k',
  name: 'k',
  doctag: 'k',
  'template-tag': 'k',
  bullet: 'k',
  deletion: 'k',
  string: 's',
  regexp: 's',
  addition: 's',
  char: 's',
  'template-variable': 's',
  code: 's',
  number: 'n',
  literal: 'n',
  symbol: 'n',
  meta: 'n',
  link: 'n',
  title: 'f',
  'selector-id': 'f',
  'selector-class': 'f',
  type: 't',
  built_in: 't',
  attr: 'a',
  attribute: 'a',
  variable: 'a',
  property: 'a',
  'selector-attr': 'a',
  'selector-pseudo': 'a',
  section: 'h',
  strong: 'b',
  emphasis: 'e',
}

/** `title class_` and its like: the second class decides. */
const SECOND_LETTERS: Readonly<Record<string, string>> = { class_: 't', constant_: 'n' }

const OPENING = '<span class="hljs-'

/** The letter of an opening tag; null for spans without a colour. */
function letterOf(tag: string): string | null {
  const [first = '', second = ''] = tag
    .slice(OPENING.length, tag.indexOf('"', OPENING.length))
    .split(' ')
  return SECOND_LETTERS[second] ?? LETTERS[first] ?? null
}

/** Shortens one line, whose spans are closed in it. A span without text is left out too. */
export function compactLine(html: string): string {
  if (!html.includes(OPENING)) return html
  const open: boolean[] = []
  let compact = ''
  for (const [part] of html.matchAll(/<\/span>|<span[^>]*>|[^<]+/g)) {
    if (part === '</span>') {
      if (open.pop()) compact += '</i>'
    } else if (part.startsWith('<')) {
      const letter = letterOf(part)
      open.push(letter !== null)
      if (letter !== null) compact += `<i class="${letter}">`
    } else compact += part
  }
  return compact
}
