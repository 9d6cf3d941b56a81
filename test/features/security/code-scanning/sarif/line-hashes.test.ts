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
  const greetings = [
    'e9496ae3ebfced30:1',
    'fb7c023a8b9ccb3f:1',
    'ce8ba1a563dcdaca:1',
    'e20e36e16fcb0cc8:1',
    'b3edc88f2938467e:1',
    'c8e28b0b4002a3a0:1',
    'c129715d7a2bc9a3:1',
  ]
  for (const text of [
    ' hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n',
    ' hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r',
    ' hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n',
    ' hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n',
  ])
    expect(lineHashes(text)).toEqual(greetings)
  expect(lineHashes('Lorem ipsum dolor sit amet.\n'.repeat(10))).toEqual([
    ...[1, 2, 3, 4, 5, 6].map((count) => `a7f2ff13bc495cf2:${count}`),
    'a7f2ff1481e87703:1',
    'a9cf91f7bbf1862b:1',
    '55ec222b86bcae53:1',
    'cc97dc7b1d7d8f7b:1',
    'c129715d7a2bc9a3:1',
  ])
  expect(lineHashes('x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n')).toEqual([
    'e54938cc54b302f1:1',
    'bb609acbe9138d60:1',
    '1131fd5871777f34:1',
    '5c482a0f8b35ea28:1',
    '54517377da7028d2:1',
    '2c644846cb18d53e:1',
    'f1b89f20de0d133:1',
    'c129715d7a2bc9a3:1',
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
