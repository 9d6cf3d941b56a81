import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import {
  ownersOf,
  ownersOfPath,
  patternMatchesPath,
  parseCodeOwners,
} from '#features/repos/files/code-owners.ts'
import { listCodeOwners } from '#features/repos/files/list-code-owners.ts'
import { refusal } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

test('patterns match as in gitignore', () => {
  const cases: [pattern: string, yes: string[], no: string[]][] = [
    ['*', ['a', 'a/b/c.ts'], []],
    ['*.ts', ['a.ts', 'src/deep/a.ts'], ['a.tsx', 'ats']],
    ['/src/', ['src/a', 'src/b/c'], ['src', 'lib/src/a']],
    ['src/', ['src/a', 'lib/src/a'], ['src']],
    ['docs/*', ['docs/a.md'], ['docs/a/b.md', 'x/docs/a.md']],
    ['docs', ['docs', 'docs/a/b', 'x/docs/a'], ['docsx']],
    ['/docs/**/a.md', ['docs/a.md', 'docs/x/y/a.md'], ['docs/b.md', 'x/docs/a.md']],
    ['**/logs', ['logs/a', 'x/y/logs/b'], ['logsx']],
    ['src/**', ['src/a', 'src/a/b'], ['a/src/b']],
    ['a?c', ['abc', 'x/abc'], ['ac', 'a/c']],
    ['with\\ space', ['with space'], ['with']],
  ]
  for (const [pattern, yes, no] of cases) {
    for (const path of yes)
      expect([pattern, path, patternMatchesPath(pattern, path)]).toEqual([pattern, path, true])
    for (const path of no)
      expect([pattern, path, patternMatchesPath(pattern, path)]).toEqual([pattern, path, false])
  }
})

test('a pattern made to take for ever does not', () => {
  expect(patternMatchesPath(`${'*a'.repeat(120)}b`, 'a'.repeat(4000))).toBe(false)
  expect(patternMatchesPath(`${'**/'.repeat(100)}x`, `${'a/'.repeat(1000)}b`)).toBe(false)
})

test('the last rule that matches wins, also one without owners; lines that are none are left out', () => {
  const rules = parseCodeOwners(
    '# All\n* @ada\r\n\n*.ts  @bob @acme/core # the code\n/src/made/\n!x @ada\n*.md not-an-owner\ndocs/ help@example.com\n',
  )
  expect(rules).toEqual([
    { line: 2, pattern: '*', owners: ['@ada'] },
    { line: 4, pattern: '*.ts', owners: ['@bob', '@acme/core'] },
    { line: 5, pattern: '/src/made/', owners: [] },
    { line: 8, pattern: 'docs/', owners: ['help@example.com'] },
  ])
  expect(
    ['x', 'src/a.ts', 'src/made/a.ts', 'docs/a.ts', 'a.md'].map((path) =>
      ownersOfPath(rules, path),
    ),
  ).toEqual([['@ada'], ['@bob', '@acme/core'], [], ['help@example.com'], ['@ada']])
})

test('many paths have each owner once', async () => {
  const rules = parseCodeOwners(`* @ada\n${'x @bob\n'.repeat(1000)}*.ts @eve\n`)
  const paths = Array.from({ length: 50 }, (_, index) => `d${index}/${index % 2 ? 'a.ts' : 'b'}`)
  expect(await ownersOf({ file: 'CODEOWNERS', rules }, paths)).toEqual(['@ada', '@eve'])
})

test('the rules of the default branch, and who owns a path', async () => {
  const { world } = await makeLife()
  const repo = 'acme/site'
  expect(await world.call(listCodeOwners, anonymous, { repo, path: 'a.txt' })).toEqual({
    file: null,
    rules: [],
    path: 'a.txt',
    owners: [],
  })
  await world.commit(repo, 'side', { CODEOWNERS: '* @eve\n' })
  await world.commit(repo, 'main', { '.github/CODEOWNERS': '*.txt @bob\n' })
  expect(await world.call(listCodeOwners, anonymous, { repo, path: '/d/a.txt' })).toMatchObject({
    file: '.github/CODEOWNERS',
    path: 'd/a.txt',
    owners: ['@bob'],
  })
  await world.commit(repo, 'main', { CODEOWNERS: '* @ada\n' })
  expect(await world.call(listCodeOwners, anonymous, { repo })).toEqual({
    file: 'CODEOWNERS',
    rules: [{ line: 1, pattern: '*', owners: ['@ada'] }],
    path: null,
    owners: null,
  })
  expect(
    await refusal(world.call(listCodeOwners, anonymous, { repo, path: '../x' })),
  ).toMatchObject({ status: 422, field: 'path' })
  await world.repo('acme/secret', { private: true })
  expect(
    (await refusal(world.call(listCodeOwners, anonymous, { repo: 'acme/secret' }))).status,
  ).toBe(404)
})
