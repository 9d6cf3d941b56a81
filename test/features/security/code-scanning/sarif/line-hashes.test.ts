import { expect, test } from 'bun:test'
import { lineHashes } from '#features/security/code-scanning/sarif/line-hashes.ts'

test('hashes agree with the vectors that the upload action publishes', () => {
  expect(lineHashes('')).toEqual(['c129715d7a2bc9a3:1'])
  expect(lineHashes(' a\nb\n  \t\tc\n d')).toEqual([
    '271789c17abda88f:1',
    '54703d4cd895b18:1',
    '180aee12dab6264:1',
    'a23a3dc5e078b07b:1',
  ])
  expect(lineHashes(' hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End')).toEqual([
    '8b7cf3e952e7aeb2:1',
    'b1ae1287ec4718d9:1',
    'bff680108adb0fcc:1',
    'c6805c5e1288b612:1',
    'b86d3392aea1be30:1',
    'e6ceba753e1a442:1',
  ])
})

test('line ends and blanks do not matter, equal lines are counted', () => {
  const unix = 'one\ntwo\nthree\n'
  expect(lineHashes('one\r\n\ttwo\rth ree\r\n')).toEqual(lineHashes(unix))
  const same = `${'x\n'.repeat(300)}`
  const hashes = lineHashes(same)
  expect(hashes.slice(0, 2).map((hash) => hash.split(':')[1])).toEqual(['1', '2'])
  expect(new Set(hashes).size).toBe(hashes.length)
})

test('a hash depends on what follows, not on what is above', () => {
  const tail = `target()\n${'rest of the file\n'.repeat(10)}`
  const [before] = lineHashes(tail)
  expect(lineHashes(`// a comment\nimport x\n${tail}`)[2]).toBe(before)
})
