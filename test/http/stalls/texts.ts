/** Texts that parsers find hard: a token again and again, and nesting without end. */

/** Tokens of HTML, Markdown, JSON, forms, headers, paths, globs, regular expressions and code. */
export const TOKENS: readonly string[] = [
  ...' !"#$%&\'()*+,-./0:;<=>?@A[\\]^_`a{|}~',
  ...['\t', '\n', '\r\n', '\0', '\u00e9', '\u0301', '\u202e', '\u{1f600}', '\ud800'],
  ...['a&', 'a=b&', '%20', '%', '%41', '+-', '; ', ', ', '=;', '";', '\\"', '\\\\'],
  ...['[]', '{}', '[a](', '![', '[^1]', '[a]:', '<a ', '<a href="', '</a>', '<!--', '<![CDATA['],
  ...['&amp;', '&#x', '> ', '- ', '1. ', '* a\n', '**a', '__', '~~', '| a ', '|-', '`` ', '```\n'],
  ...['~~~\n', '# ', 'a\n===\n', '\n\n', '    a\n', '$$', '@a ', '#1 ', 'a/b#1 ', 'http://a '],
  ...['www.', 'a.b@c ', ':a:', '<div>', '<b>', '<table>', '- [ ] ', '!['],
  ...['a/', '../', './', '**/', '*/', '*a', '?a', '[a-z]', '{a,', '(a', '(a|', 'a*', 'a+', '(?:'],
  ...[
    '"a" ',
    'is:',
    'a:b ',
    '-a ',
    'or ',
    'let a = ',
    '/* ',
    '*/ ',
    '// ',
    "'''",
    '"""',
    '${',
    '<?',
  ],
]

const repeat = (token: string, length: number): string =>
  token.repeat(Math.ceil(length / token.length)).slice(0, length)

/** Nested openings with as many closings. */
const nested = (open: string, close: string, length: number): string => {
  const depth = Math.floor(length / (open.length + close.length))
  return open.repeat(depth) + close.repeat(depth)
}

const PAIRS: readonly (readonly [string, string])[] = [
  ['[', ']'],
  ['{"a":', '}'],
  ['(', ')'],
  ['<b>', '</b>'],
  ['<ul><li>', '</li></ul>'],
  ['*a ', '*'],
  ['[a](', ')'],
  ['![', '](a)'],
]

/** Lists of lists, as deep as the length allows. */
const deepList = (length: number): string => {
  let text = ''
  for (let depth = 0; text.length < length; depth++) text += `${' '.repeat(depth * 2)}- a\n`
  return text.slice(0, length)
}

export type HardText = { readonly name: string; readonly text: string }

export const hardTexts = (length: number): HardText[] => [
  ...TOKENS.map((token) => ({
    name: `${length} of ${JSON.stringify(token)}`,
    text: repeat(token, length),
  })),
  ...PAIRS.map(([open, close]) => ({
    name: `${length} of nested ${open}${close}`,
    text: nested(open, close, length),
  })),
  { name: `${length} of nested lists`, text: deepList(length) },
  {
    name: `${length} of quotes in quotes`,
    text: Array.from({ length: 40 }, (_, depth) => `${'> '.repeat(depth)}a\n`)
      .join('')
      .repeat(Math.ceil(length / 1600))
      .slice(0, length),
  },
]

/** Numbers below a bound that follow from a seed (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** A text of a few tokens, each many times, in one of the orders that parsers find hard. */
export function randomText(random: (below: number) => number, length: number): HardText {
  const pick = (): string => TOKENS[random(TOKENS.length)] ?? 'a'
  const unit = Array.from({ length: 1 + random(4) }, pick).join('')
  const [before, after] = [random(3) === 0 ? pick() : '', random(3) === 0 ? pick() : '']
  const middle =
    random(2) === 0
      ? repeat(unit, length)
      : repeat(unit, Math.floor(length / 2)) + repeat(pick(), Math.floor(length / 2))
  return {
    name: `${length} of ${JSON.stringify([before, unit, after])}`,
    text: before + middle + after,
  }
}
