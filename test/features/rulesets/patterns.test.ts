import { expect, test } from 'bun:test'
import { PATTERN_CACHE, PatternMatcher, requirePattern } from '#features/rulesets/patterns.ts'
import { createCache } from '#lib/cache.ts'

const patterns = new PatternMatcher(createCache(PATTERN_CACHE))

test('patterns match anywhere, as RE2 has them', () => {
  expect(patterns.matches('^(feat|fix)(\\([a-z]+\\))?!?: .+', 'feat(web)!: new page')).toBe(true)
  expect(patterns.matches('(?i)WIP', 'still wip')).toBe(true)
  expect(patterns.matches('^line$', 'first\nline\n')).toBe(false)
  expect(patterns.matches('(?m)^line$', 'first\nline\n')).toBe(true)
  expect(patterns.matches('\\p{Greek}', 'λ')).toBe(true)
})

test('what makes other engines run for ever is answered, or is refused', () => {
  const long = `${'a'.repeat(60_000)}!`
  for (const source of ['^(a+)+$', '(a|aa)+$', '(a*)*b', '^(a|a?)+$', '(.*)*x', '(x+x+)+y'])
    expect([source, patterns.matches(requirePattern(source, 'p'), long)]).toEqual([source, false])
  // Steps times characters are bounded: then the answer is that it cannot be told.
  expect(patterns.matches(requirePattern('[[:word:]]{900}\\pL{900}$', 'p'), long)).toBeNull()
  expect(patterns.matches('[[:word:]]{900}\\pL{900}$', 'a'.repeat(2_000))).toBe(true)
  for (const source of ['(a{1000}){1000}', '('.repeat(2_000), 'a{1001}', '(a{900}){2}b{900}'])
    expect(() => requirePattern(source, 'p')).toThrow()
})
