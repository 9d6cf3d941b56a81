import { expect, test } from 'bun:test'
import { limitDepth } from '#web/markdown/limit-depth.ts'

const nest = (name: string, depth: number) =>
  `${`<${name}>`.repeat(depth)}x${`</${name}>`.repeat(depth)}`

test('what nests less than the limit stays as it is', () => {
  for (const html of [nest('div', 100), '<p>a<p>b<br><b>c', '<', '<!-- <div> -->', 'a < b', ''])
    expect(limitDepth(html)).toBe(html)
})

test('tags below the limit go, and their text stays', () => {
  expect(limitDepth(nest('div', 5_000))).toBe(nest('div', 100))
  expect(limitDepth(nest('div', 103).replace('x', '<b title="y">x</b>'))).toBe(nest('div', 100))
})

test('elements that end where the next begins do not nest', () => {
  const html = `${'<li>a'.repeat(500)}<b>x</b>`
  expect(limitDepth(html)).toBe(html)
})

test('an element after deep ones has its own depth', () => {
  const deep = `${nest('blockquote', 300)}<p>after</p>`
  expect(limitDepth(deep)).toBe(`${nest('blockquote', 100)}<p>after</p>`)
})

test('a tag that does not end is left to the parser', () => {
  expect(limitDepth(`${'<div>'.repeat(100)}<b`)).toBe(`${'<div>'.repeat(100)}<b`)
})
