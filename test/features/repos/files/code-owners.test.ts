import { expect, test } from 'bun:test'
import { parseCodeOwners, patternMatchesPath } from '#features/repos/files/code-owners.ts'
import { trimSlashes, trimTrailingSlashes } from '#lib/trim-slashes.ts'

test('a pattern of many slashes or stars takes linear time', () => {
  const start = performance.now()
  const slashes = '/'.repeat(200_000)
  expect(patternMatchesPath(`a${slashes}b`, 'a/b')).toBe(false)
  expect(patternMatchesPath(slashes, 'a/b')).toBe(false)
  expect(patternMatchesPath(`${'**/'.repeat(200_000)}b`, `${'a/'.repeat(500)}b`)).toBe(true)
  expect(performance.now() - start).toBeLessThan(20_000)
})

test('slashes are removed at the ends only', () => {
  expect(['', '/', '//a//b//', 'a'].map(trimSlashes)).toEqual(['', '', 'a//b', 'a'])
  expect(['', '/', '//a//b//', 'a'].map(trimTrailingSlashes)).toEqual(['', '', '//a//b', 'a'])
})

test('a line that is longer than any path is no rule', () => {
  const rules = parseCodeOwners(`${'a/'.repeat(30_000)} @ada\n/${'a'.repeat(4_000)} @ada\n`)
  expect(rules.map(({ line }) => line)).toEqual([2])
})
