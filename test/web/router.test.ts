import { expect, test } from 'bun:test'
import { Router } from '#web/router.ts'

const router = new Router([
  ['/', 'home'],
  ['/new', 'new'],
  ['/:workspace', 'workspace'],
  ['/:workspace/-/members', 'members'],
  ['/:workspace/:repo', 'repo'],
  ['/:workspace/:repo/pull/:number', 'pull'],
  ['/:workspace/:repo/pull/:number.diff', 'diff'],
  ['/:workspace/:repo/tree/*rest', 'tree'],
])

test('fixed words win over names, and names over the rest', () => {
  expect(router.find('/')?.value).toBe('home')
  expect(router.find('/new')?.value).toBe('new')
  expect(router.find('/acme')).toEqual({ value: 'workspace', params: { workspace: 'acme' } })
  expect(router.find('/acme/-/members')?.value).toBe('members')
  expect(router.find('/acme/site/pull/3')).toEqual({
    value: 'pull',
    params: { workspace: 'acme', repo: 'site', number: '3' },
  })
  expect(router.find('/acme/site/pull/3.diff')).toEqual({
    value: 'diff',
    params: { workspace: 'acme', repo: 'site', number: '3' },
  })
  expect(router.find('/acme/site/tree/main/a%20b/c')?.params.rest).toBe('main/a b/c')
})

test('nothing is found for what is not there or is badly encoded', () => {
  for (const path of ['/acme/site/none', '/acme/site/tree/%E0%A4%A', '/acme//x', '/%ff'])
    expect(router.find(path)).toBeNull()
})

test('two pages cannot be at one address', () => {
  expect(
    () =>
      new Router([
        ['/a', 1],
        ['/a', 2],
      ]),
  ).toThrow('two pages are at /a')
})
