import { expect, test } from 'bun:test'
import { readAffectedRanges } from '#lib/advisories/affected-ranges.ts'

test('ranges as people write them', () => {
  const of = (text: string, patched: string | null = null) => readAffectedRanges(text, patched)
  const range = (...events: string[][]) => ({ ranges: [events], versions: [] })
  expect(of('>= 1.0, < 1.4.2')).toEqual(range(['introduced', '1.0'], ['fixed', '1.4.2']) as never)
  expect(of('<= 2.0')).toEqual(range(['introduced', '0'], ['last_affected', '2.0']) as never)
  expect(of('>= 1.0', '1.5')).toEqual(range(['introduced', '1.0'], ['fixed', '1.5']) as never)
  expect(of('<2 || = v3.1.0')).toEqual({
    ranges: [
      [
        ['introduced', '0'],
        ['fixed', '2'],
      ],
    ],
    versions: ['3.1.0'],
  })
  for (const text of ['', '> 1, > 2', '= 1, < 2', '>= 1,,', '~> 1.2', 'all versions'])
    expect([text, of(text)]).toEqual([text, null])
})
