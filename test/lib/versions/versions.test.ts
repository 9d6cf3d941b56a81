import { describe, expect, test } from 'bun:test'
import { composerKey, composerStability, normalComposerVersion } from '#lib/versions/composer.ts'
import { gemKey, isGemPrerelease, isGemVersion } from '#lib/versions/gem.ts'
import { compareMavenVersions, isMavenVersion, mavenKey } from '#lib/versions/maven.ts'
import { isSemver2, normalNugetVersion, nugetKey, parseNugetVersion } from '#lib/versions/nuget.ts'
import { parseSemver, semverKey } from '#lib/versions/semver.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'

/** Every version is below all that follow it. */
function expectAscending(versions: readonly string[], keyOf: (version: string) => string): void {
  for (const [at, low] of versions.entries())
    for (const high of versions.slice(at + 1))
      expect([low, '<', high, compareKeys(keyOf(low), keyOf(high))]).toEqual([low, '<', high, -1])
}

const requireSemver = (text: string) => {
  const version = parseSemver(text)
  if (!version) throw new Error(`${text} is no version`)
  return version
}
const requireNuget = (text: string) => {
  const version = parseNugetVersion(text)
  if (!version) throw new Error(`${text} is no version`)
  return version
}

describe('semantic versions', () => {
  test('sort as section 11 of the specification says', () => {
    const order = `1.0.0-0 1.0.0-9 1.0.0-10 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta
      1.0.0-alpha- 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.1.0 1.10.0 2.0.0
      10.0.0 99999999999999999999.0.0`
    expectAscending(order.split(/\s+/), (text) => semverKey(requireSemver(text)))
  })
  test('are one version when only the build differs', () => {
    expect(semverKey(requireSemver('1.0.0+a'))).toBe(semverKey(requireSemver('1.0.0+b.1')))
  })
  test('follow the grammar', () => {
    for (const text of [
      '1',
      '1.2',
      '01.2.3',
      '1.2.3-01',
      '1.2.3-',
      '1.2.3-a..b',
      'v1.2.3',
      '1.2.3+',
    ])
      expect([text, parseSemver(text)]).toEqual([text, null])
    expect(parseSemver(`1.2.3-${'a'.repeat(300)}`)).toBeNull()
    expect(requireSemver('1.2.3-0a.1+001').prerelease).toEqual(['0a', '1'])
  })
})

describe('versions of NuGet', () => {
  test('sort by four numbers, then labels without regard to case', () => {
    const order = `1.0.0--2 1.0.0--1.a 1.0.0-0 1.0.0-1 1.0.0-2147483647 1.0.0-- 1.0.0-2147483648 1.0.0-Alpha 1.0.0-alpha.1 1.0.0-BETA
      1.0.0 1.0.0.1 1.0.1 1.0.1.1 1.2.0 1.10.0`
    expectAscending(order.split(/\s+/), (text) => nugetKey(requireNuget(text)))
    expect(nugetKey(requireNuget('1.0-RC'))).toBe(nugetKey(requireNuget('1.0.0.0-rc+b')))
  })
  test('have a normal form', () => {
    const cases = {
      '1': '1.0.0',
      '1.00': '1.0.0',
      '1.2.3.0': '1.2.3',
      '01.2.3.4-Rc+x': '1.2.3.4-Rc',
    }
    for (const [text, normal] of Object.entries(cases))
      expect([text, normalNugetVersion(requireNuget(text))]).toEqual([text, normal])
  })
  test('need SemVer 2 for dots in labels and for builds', () => {
    expect(['1.0-a', '1.0-a.b', '1.0+b'].map((text) => isSemver2(requireNuget(text)))).toEqual([
      false,
      true,
      true,
    ])
  })
  test('that cannot be read are none', () => {
    for (const text of [
      '',
      'a',
      '1.2.3.4.5',
      '1.-2',
      '1.2147483648',
      '1.0-',
      '1.0-a..b',
      '1.0-01',
      ' 1.0',
    ])
      expect([text, parseNugetVersion(text)]).toEqual([text, null])
  })
})

describe('versions of RubyGems', () => {
  test('sort as Gem::Version does', () => {
    const order = `0.a 0 1.0.0.a 1.0.0-b 1.0.0.rc1 1 1.0.0.1 1.0.1.a 1.0.1 1.8.1 1.8.2.a9 1.8.2.a10
      1.8.2.b.0.a 1.8.2.b 1.8.2.b.0.1 1.8.2 1.10 2`
    // `-b` is `.pre.b`, which is above `.a` and below `.rc`.
    expectAscending(order.split(/\s+/), gemKey)
  })
  test('are equal when zeros at the end differ', () => {
    for (const [a, b] of [
      ['1', '1.0.0'],
      ['1.0.a', '1.a'],
      ['1.a.0', '1.a'],
      ['1.0a', '1.0.a'],
    ] as const)
      expect([a, gemKey(a)]).toEqual([a, gemKey(b)])
  })
  test('with a letter are prereleases', () => {
    expect(['1.0', '1.0.a', '1.0-1'].map(isGemPrerelease)).toEqual([false, true, true])
    expect(['1.0', '1.0.a', '1.0-x64', 'a', '1..0', '1.0_1', ''].map(isGemVersion)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })
})

describe('versions of Maven', () => {
  const order = `1-alpha2snapshot 1-alpha2 1-alpha-123 1-beta-2 1-beta123 1-m2 1-m11 1-rc 1-cr2
    1-rc123 1-SNAPSHOT 1 1-sp 1-sp2 1-sp123 1-abc 1-def 1-pom-1 1-1-snapshot 1-1 1-2 1-123 1.1 2`
  const versions = order.split(/\s+/)
  test('sort by qualifiers, lists and numbers', () => {
    expectAscending(versions, mavenKey)
    for (const [at, low] of versions.entries())
      for (const high of versions.slice(at + 1))
        expect([low, high, compareMavenVersions(low, high)]).toEqual([low, high, -1])
  })
  test('are equal in several spellings', () => {
    for (const text of ['1.0', '1.0.0', '1-0', '1.ga', '1-final', '1.0-RELEASE', '1-0.0'])
      expect([text, mavenKey(text), compareMavenVersions('1', text)]).toEqual([
        text,
        mavenKey('1'),
        0,
      ])
    expect(mavenKey('1a1')).toBe(mavenKey('1-alpha-1'))
    expect(mavenKey('1-cr1')).toBe(mavenKey('1-RC-1'))
  })
  test('are names of a folder', () => {
    for (const text of ['', '.', '..', 'a/b', 'a b', '1\0', 'a'.repeat(257)])
      expect([text, isMavenVersion(text)]).toEqual([text, false])
    expect(isMavenVersion('1.0.0-SNAPSHOT')).toBe(true)
  })
  test('of hostile length take linear time', () => {
    expect(mavenKey('1-'.repeat(128)).length).toBeLessThan(1000)
  })
})

describe('versions of Composer', () => {
  test('have the normal form of composer/semver', () => {
    const cases: Record<string, string | null> = {
      '1.0.0': '1.0.0.0',
      '1.2.3.4': '1.2.3.4',
      '1.0.0RC1dev': '1.0.0.0-RC1-dev',
      '1.0.0-rC15-dev': '1.0.0.0-RC15-dev',
      '1.0.0.RC.15-dev': '1.0.0.0-RC15-dev',
      '1.0.0-rc1': '1.0.0.0-RC1',
      '1.0.0.pl3-dev': '1.0.0.0-patch3-dev',
      '1.0-dev': '1.0.0.0-dev',
      'v1.0.0': '1.0.0.0',
      '2010.01.02': '2010.01.02.0',
      '2010-01-02': '2010.01.02',
      '20100102': '20100102',
      '1.0.0-beta.5+foo': '1.0.0.0-beta5',
      '1.0.0-stable': '1.0.0.0',
      master: 'dev-master',
      'dev-feature/a': 'dev-feature/a',
      '1.x-dev': '1.9999999.9999999.9999999-dev',
      foo: null,
      '': null,
      '1.0 .2': null,
    }
    for (const [text, normal] of Object.entries(cases))
      expect([text, normalComposerVersion(text)]).toEqual([text, normal])
  })
  test('sort as version_compare does', () => {
    const order = `dev-main 1.0-dev 1.0-alpha1 1.0-alpha2 1.0-alpha10 1.0-beta 1.0-beta1-dev 1.0-RC1
      1.0 1.0-p1 1.0.1 1.10 2.x-dev`
    // A branch of numbers sorts below what would be its release.
    expectAscending(order.split(/\s+/), (text) => composerKey(normalComposerVersion(text) ?? ''))
  })
  test('have a stability', () => {
    const names = ['1.0', '1.0-RC1', '1.0-b2', '1.0a', '1.0-dev', 'dev-x', '1.0-p1']
    expect(names.map((text) => composerStability(normalComposerVersion(text) ?? ''))).toEqual([
      'stable',
      'RC',
      'beta',
      'alpha',
      'dev',
      'dev',
      'stable',
    ])
  })
})
