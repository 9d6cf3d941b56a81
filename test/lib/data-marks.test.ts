import { expect, test } from 'bun:test'
import { asData, dataSections } from '#lib/data-marks.ts'

const between = (text: string): string[] =>
  dataSections(text).map(({ from, to }) => text.slice(from, to))

test('texts between marks are found, and beginnings without an end hide none of them', () => {
  const one = asData('key', 'issue', 'first\nline')
  const two = asData('key', 'files', '')
  const openings = '<data-0123456789ab from="x">\n'.repeat(1000)
  expect(between(`Look:\n${one}\n${openings}${two}\nEnd`)).toEqual(['first\nline', ''])
  expect(between(openings)).toEqual([])
})
