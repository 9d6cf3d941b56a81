import { expect, test } from 'bun:test'
import { isSettable, readPairs, readPaths } from '#src/actions/index.ts'

test('reads names with values of one line and of several', () => {
  expect(readPairs('a=1\nb<<END\nx=y\n\nz<<w\nEND\r\nc==<<\n\nd=')).toEqual([
    ['a', '1'],
    ['b', 'x=y\n\nz<<w'],
    ['c', '=<<'],
    ['d', ''],
  ])
  expect(readPairs('')).toEqual([])
})

for (const [text, reason] of [
  ['a<<END\nx', 'line 1: the delimiter "END" does not end the value'],
  ['a<<\nx', 'does not end'],
  ['a=1\nnothing', 'line 2: "nothing" has no ='],
  ['=x', 'the name is missing'],
] as const)
  test(`${JSON.stringify(text)} is refused`, () => expect(() => readPairs(text)).toThrow(reason))

test('a step cannot set what the server sets', () => {
  for (const name of [
    'GITHUB_TOKEN',
    'runner_temp',
    'NODE_OPTIONS',
    'HEARTH_RUN_ID',
    'a b',
    '1x',
    '',
  ])
    expect(isSettable(name)).toBe(false)
  for (const name of ['PATH', 'MY_VALUE', '_x']) expect(isSettable(name)).toBe(true)
})

test('of folders for PATH the last one comes first', () => {
  expect(readPaths('/a\n\n /b \n')).toEqual(['/b', '/a'])
})
