import { expect, test } from 'bun:test'
import { compareKeys } from '#lib/versions/sort-key.ts'
import { versionKey } from '#lib/versions/version-key.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'

/** Every version is below all that follow it. */
function expectAscending(ecosystem: Ecosystem, versions: string): void {
  const all = versions.trim().split(/\s+/)
  for (const [at, low] of all.entries())
    for (const high of all.slice(at + 1))
      expect([low, '<', high, compareKeys(key(ecosystem, low), key(ecosystem, high))]).toEqual([
        low,
        '<',
        high,
        -1,
      ])
}

function key(ecosystem: Ecosystem, version: string): string {
  const found = versionKey(ecosystem, version)
  if (found === null) throw new Error(`${version} is no version`)
  return found
}

test('versions of Python sort as packaging sorts them', () => {
  expectAscending(
    'pypi',
    `1.dev0 1.0.dev456 1.0a1 1.0a2.dev456 1.0a12.dev456 1.0a12 1.0b1.dev456 1.0b2 1.0b2.post345.dev456
     1.0b2.post345 1.0rc1.dev456 1.0rc1 1.0 1.0+abc.5 1.0+abc.7 1.0+5 1.0.post456.dev34 1.0.post456
     1.0.15 1.1.dev1 2013.10 1!0.1`,
  )
  for (const [a, b] of [
    ['1.0', '1.0.0'],
    ['1.0alpha1', '1.0-A.1'],
    ['1.0-1', '1.0.post1'],
    ['v1.0c1', '1.0rc1'],
    ['1.0+a.b', '1.0+A-b'],
  ] as const)
    expect(key('pypi', a)).toBe(key('pypi', b))
  for (const text of ['', '1.0-x', '2013-01-21T20:33', '1..0', `1.${'0'.repeat(300)}`])
    expect(versionKey('pypi', text)).toBeNull()
})

test('versions of Go, Hex, Pub and Swift are semantic ones, also shortened', () => {
  expectAscending(
    'golang',
    'v0.0.0-20200101000000-abcdef v1.0.0-rc.1 v1.0.0 1.2 v1.10.0 2.0.0+incompatible',
  )
  expectAscending('golang', '1.20.14 1.21rc2 1.21 1.21.3')
  expectAscending('npm', '0 1.0.0-alpha 1 1.0.1 v2')
  expect(versionKey('npm', 'latest')).toBeNull()
})

test('each ecosystem has its own order', () => {
  expectAscending('maven', '1.0-alpha-1 1.0-SNAPSHOT 1.0 1.0-sp 1.0.1')
  expectAscending('gem', '1.0.a 1.0 1.0.1')
  expectAscending('composer', '1.0.0-beta1 1.0.0 1.0.0-patch1 v1.1')
  expectAscending('nuget', '1.0.0-RC 1.0 1.0.0.1')
})
