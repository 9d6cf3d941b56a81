import { expect, test } from 'bun:test'
import { PathEnds } from '#features/security/code-scanning/file-lines.ts'

test('an absolute path is the longest end of it that the commit has', () => {
  const ends = new PathEnds(['src/a.ts', 'a.ts', 'deep/er/b.ts'])
  expect(ends.find('home/me/site/src/a.ts')).toBe('src/a.ts')
  expect(ends.find('home/me/site/lib/a.ts')).toBe('a.ts')
  expect(ends.find('deep/er/b.ts')).toBe('deep/er/b.ts')
  expect(ends.find('er/b.ts')).toBeNull()
})
