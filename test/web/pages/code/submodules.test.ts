import { expect, test } from 'bun:test'
import { pageOf, readModules } from '#web/pages/code/submodules.ts'

test('the addresses of submodules', () => {
  const text =
    '[submodule "one"]\n\tpath = lib/one\n\turl = https://example.com/a/one.git\n[submodule "two"]\n  url = ../two.git\n  path = lib/two\n[submodule "odd"]\n\tpath = x\n'
  expect([...readModules(text)]).toEqual([
    ['lib/one', 'https://example.com/a/one.git'],
    ['lib/two', '../two.git'],
  ])
})

test('web addresses and repositories of this site become links', () => {
  expect(pageOf('https://example.com/a/one.git', 'acme/site')).toBe('https://example.com/a/one')
  expect(pageOf('../two.git', 'acme/site')).toBe('/acme/two')
  expect(pageOf('git@example.com:a/one.git', 'acme/site')).toBe('https://example.com/a/one')
  for (const url of [
    'javascript:alert(1)',
    'https://user:secret@example.com/x',
    '../../../etc',
    'file:///etc/passwd',
  ])
    expect([url, pageOf(url, 'acme/site')]).toEqual([url, null])
})
