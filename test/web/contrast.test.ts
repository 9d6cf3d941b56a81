// Readability, computed from the style sheet's own tokens (WCAG 2.2: 1.4.3 for text, 1.4.11 for the
// edges of inputs).
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { HUES, labelColors, nearestHue } from '#web/palette.ts'

const css = readFileSync(new URL('../../web/style.css', import.meta.url), 'utf8')

type Pair = { light: string; dark: string }
const pairs = (text: string): Map<string, Pair> =>
  new Map(
    [...text.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((match) => [
      match[1] ?? '',
      { light: match[2] ?? '', dark: match[3] ?? '' },
    ]),
  )

const luminance = (hex: string): number => {
  const part = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}
const contrast = (a: string, b: string): number => {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

const tokens = pairs(css.slice(css.indexOf(':root {'), css.indexOf('.hue-0')))
const token = (name: string): Pair => {
  const pair = tokens.get(name)
  if (!pair) throw new Error(`no colour --${name}`)
  return pair
}

/** The other colours of changes, and the tokens that replace those of the root under them. */
const distinct = pairs(/\[data-diff='distinct'\] \{[^}]*\}/.exec(css)?.[0] ?? '')

const grounds = ['canvas', 'surface', 'sunken', 'raised', 'hover']
const combinations: [ink: string, grounds: string[], least: number][] = [
  [
    'text',
    [
      ...grounds,
      'plain-soft',
      'accent-soft',
      'good-soft',
      'bad-soft',
      'wait-soft',
      'done-soft',
      'info-soft',
      'mark-line',
    ],
    7,
  ],
  [
    'text-soft',
    [
      ...grounds,
      'plain-soft',
      'good-soft',
      'bad-soft',
      'info-soft',
      'mark-line',
      'accent-soft',
      'wait-soft',
      'done-soft',
    ],
    4.5,
  ],
  [
    'text-faint',
    ['canvas', 'surface', 'sunken', 'raised', 'add-number', 'del-number', 'mark-line'],
    4.5,
  ],
  [
    'accent-text',
    [
      ...grounds,
      'accent-soft',
      'plain-soft',
      'wait-soft',
      'info-soft',
      'bad-soft',
      'good-soft',
      'done-soft',
    ],
    4.5,
  ],
  ['on-accent', ['accent', 'accent-hover'], 4.5],
  ...['good', 'bad', 'wait', 'done', 'info'].map((tone): [string, string[], number] => [
    tone,
    ['canvas', 'surface', 'sunken', `${tone}-soft`],
    4.5,
  ]),
  ['good', ['add'], 4.5],
  ['bad', ['del'], 4.5],
  ['info', ['info-soft'], 4.5],
  ...['text', 'comment', 'keyword', 'string', 'number', 'title', 'type', 'name'].map(
    (kind): [string, string[], number] => [
      `code-${kind}`,
      ['surface', 'sunken', 'add', 'del', 'add-word', 'del-word', 'mark-line'],
      4.5,
    ],
  ),
  ['line-control', ['surface', 'canvas', 'sunken'], 3],
  ['accent', ['surface', 'canvas', 'sunken'], 3],
]

for (const scheme of ['light', 'dark'] as const) {
  describe(scheme, () => {
    for (const [ink, on, least] of combinations) {
      for (const ground of on) {
        test(`${ink} on ${ground}`, () =>
          expect(contrast(token(ink)[scheme], token(ground)[scheme])).toBeGreaterThanOrEqual(least))
      }
    }
    for (const kind of ['text', 'comment', 'keyword', 'string', 'number', 'title', 'type', 'name'])
      test(`code-${kind} on blue and orange`, () => {
        expect(distinct.size).toBe(6)
        for (const ground of ['add', 'del', 'add-word', 'del-word'])
          expect([
            ground,
            contrast(token(`code-${kind}`)[scheme], distinct.get(ground)?.[scheme] ?? '') >= 4.5,
          ]).toEqual([ground, true])
        for (const ground of ['add-number', 'del-number'])
          expect(
            contrast(token('text-faint')[scheme], distinct.get(ground)?.[scheme] ?? ''),
          ).toBeGreaterThanOrEqual(4.5)
      })
    for (let hue = 0; hue < HUES; hue++) {
      test(`hue ${hue}`, () => {
        const rule = pairs(new RegExp(`\\.hue-${hue} \\{[^}]*\\}`).exec(css)?.[0] ?? '')
        const ink = rule.get('hue')?.[scheme] ?? ''
        expect(contrast(ink, rule.get('hue-soft')?.[scheme] ?? '')).toBeGreaterThanOrEqual(4.5)
        expect(contrast(ink, rule.get('hue-line')?.[scheme] ?? '')).toBeGreaterThanOrEqual(3)
      })
    }
  })
}

test('a label colour has its nearest hue, and greys are neutral', () => {
  for (const [index, color] of labelColors.entries()) expect(nearestHue(color)).toBe(index)
  for (const grey of ['000000', 'ffffff', '#777777', 'nonsense', ''])
    expect(nearestHue(grey)).toBe(HUES - 1)
  expect(nearestHue('ff0000')).toBe(0)
  expect(nearestHue('#0000FF')).toBeOneOf([7, 8])
})

test('the style sheet has no colours outside of tokens, shadows and print', () => {
  const rules = css.slice(css.indexOf('@layer base')).replace(/@media print[\s\S]*$/, '')
  expect(rules.match(/#[0-9a-f]{3,8}\b(?![^(]*\))/gi)).toBeNull()
})
