// Short markup for highlighted source: a page has thousands of spans, and most of its bytes would be
// their names. Classes of highlight.js with one colour become one letter, on the shortest element.
// The three most frequent, four fifths of all, are an element without a class. Spans without a colour
// of their own are left out.

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

/** The elements that stand for a letter; none of them has a meaning for screen readers. */
const ELEMENTS: Readonly<Record<string, string>> = { k: 'b', s: 'i', a: 'u' }

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
  const open: string[] = []
  let compact = ''
  for (const [part] of html.matchAll(/<\/span>|<span[^>]*>|[^<]+/g)) {
    if (part === '</span>') compact += open.pop() ?? ''
    else if (part.startsWith('<')) {
      const letter = letterOf(part)
      const element = letter === null ? undefined : ELEMENTS[letter]
      if (letter !== null) compact += element ? `<${element}>` : `<i class="${letter}">`
      open.push(letter === null ? '' : `</${element ?? 'i'}>`)
    } else compact += part
  }
  return compact
}
