import { expect, test } from 'bun:test'
import { CommandReader, parseCommand } from '#src/actions/index.ts'

test('reads both forms of a command', () => {
  expect(parseCommand('::warning file=a.ts,line=3,title=50%25%3A x::two%0Alines 100%25')).toEqual({
    name: 'warning',
    properties: { file: 'a.ts', line: '3', title: '50%: x' },
    data: 'two\nlines 100%',
  })
  expect(parseCommand('::group::Install')).toEqual({
    name: 'group',
    properties: {},
    data: 'Install',
  })
  expect(parseCommand('##[error file=a;line=2]broken')).toEqual({
    name: 'error',
    properties: { file: 'a', line: '2' },
    data: 'broken',
  })
  expect(parseCommand('::Add-Mask::x::y')).toMatchObject({ name: 'add-mask', data: 'x::y' })
})

test('escapes are decoded once', () => {
  expect(parseCommand('::notice::%250A')?.data).toBe('%0A')
})

for (const line of [
  'text ::error::x',
  '::',
  '::::',
  ':: ::x',
  '::no end',
  '##[no end',
  '::a b',
  '',
])
  test(`${JSON.stringify(line)} is text`, () => expect(parseCommand(line)).toBeNull())

test('properties named like those of every object are data', () => {
  const command = parseCommand('::notice __proto__=x,constructor=y::z')
  expect(Object.entries(command?.properties ?? {})).toContainEqual(['constructor', 'y'])
  expect(({} as { x?: unknown }).x).toBeUndefined()
})

test('commands can be stopped and begin again with the token', () => {
  const reader = new CommandReader()
  expect(reader.read('::stop-commands::pause-logging-1')?.name).toBe('stop-commands')
  expect(reader.read('::add-mask::secret')).toBeNull()
  expect(reader.read('::other-token-22::')).toBeNull()
  expect(reader.read('::pause-logging-1::')?.name).toBe('pause-logging-1')
  expect(reader.read('::add-mask::secret')?.name).toBe('add-mask')
})

test('a short token, which could be the name of a command, stops nothing', () => {
  const reader = new CommandReader()
  reader.read('::stop-commands::error')
  expect(reader.read('::add-mask::secret')?.name).toBe('add-mask')
})
