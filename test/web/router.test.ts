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

test('literal segments take precedence over :name, and :name over *name', () => {
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

test('an unknown or badly encoded path matches nothing', () => {
  for (const path of ['/acme/site/none', '/acme/site/tree/%E0%A4%A', '/acme//x', '/%ff'])
    expect(router.find(path)).toBeNull()
})

test('two routes with one pattern throw', () => {
  expect(
    () =>
      new Router([
        ['/a', 1],
        ['/a', 2],
      ]),
  ).toThrow('two pages are at /a')
})

test('a final *name matches one segment or many', () => {
  expect(router.find('/acme/site/tree/main')?.value).toBe('tree')
  expect(router.find(`/acme/site/tree/${'a/'.repeat(7_000)}`)?.value).toBe('tree')
  expect(router.find('/acme/site/tree/')).toBeNull()
  expect(router.find(`/acme/site${'/'.repeat(15_000)}`)).toBeNull()
})
