import { expect, test } from 'bun:test'
import { refNameProblem, shortNameProblem } from '#features/repos/refs/ref-names.ts'

const names = [
  'refs/heads/main',
  'refs/heads/a/b',
  'refs/heads/ü',
  'refs/heads/a.b',
  'refs/heads/@',
  'refs/heads/a@b',
  'refs/heads/-',
  "refs/heads/it's",
  'refs/heads/{',
  'refs/heads/%41',
  'refs/heads/',
  'refs/heads//a',
  'refs/heads/a/',
  'refs/heads/.a',
  'refs/heads/a/.b',
  'refs/heads/a.lock',
  'refs/heads/a.lock/b',
  'refs/heads/a..b',
  'refs/heads/a.',
  'refs/heads/a b',
  'refs/heads/a~',
  'refs/heads/a^',
  'refs/heads/a:',
  'refs/heads/a?',
  'refs/heads/a*',
  'refs/heads/a[',
  'refs/heads/a\\',
  'refs/heads/a@{b',
  'refs/heads/\u007f',
  'refs/heads/a\tb',
  'refs',
]

test('full names are allowed and refused as git check-ref-format does', () => {
  for (const name of names) {
    const { exitCode } = Bun.spawnSync(['git', 'check-ref-format', name])
    expect([name, refNameProblem(name) === null]).toEqual([name, exitCode === 0])
  }
})

test('short names are held to what git branch takes as well', () => {
  expect(shortNameProblem('heads', 'main')).toBeNull()
  for (const name of ['', '-d', 'HEAD', '@', 'a'.repeat(40), 'a..b'])
    expect(shortNameProblem('heads', name)).toBeString()
})
