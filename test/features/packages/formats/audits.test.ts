/** What clients are told when they audit what they installed. */
import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAdvisory } from '#features/security/reports/create-advisory.ts'
import { updateAdvisory } from '#features/security/reports/update-advisory.ts'
import { runForge } from '../../oauth/running.ts'
import { importOsv, osv, packageLock } from '../../security/dependencies/fixture.ts'

const affected = (ecosystem: string, name: string, fixed: string) => ({
  affected: [
    {
      package: { ecosystem, name },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0.0' }, { fixed }] }],
    },
  ],
})

async function setUp() {
  const forge = await runForge()
  await forge.workspace('acme', { owner: await forge.user('ada') })
  await importOsv(forge, [
    osv('GHSA-left', 'left', '1.2.3', { aliases: ['CVE-2026-1'] }),
    osv('GHSA-php', 'x', null, affected('Packagist', 'Acme/Thing', '2.0.0')),
    osv('GHSA-net', 'x', null, affected('NuGet', 'Some.Thing', '2.0.0')),
  ])
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${forge.url}/packages/acme/${path}`, init)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { forge, ask }
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

test('npm audit names what is affected and the versions', async () => {
  const { forge, ask } = await setUp()
  const bulk = 'npm/-/npm/v1/security/advisories/bulk'
  expect((await ask(bulk, post({ left: ['1.0.0'], other: ['1.0.0'] }))).body).toEqual({
    left: [
      expect.objectContaining({
        id: 'GHSA-left',
        severity: 'high',
        title: 'left is broken',
        vulnerable_versions: '<1.2.3',
      }),
    ],
  })
  expect((await ask(bulk, post({ left: ['1.2.3'] }))).body).toEqual({})
  for (const body of [[], { left: 1 }, { left: [1, {}] }])
    expect(await ask(bulk, post(body))).toEqual({ status: 200, body: {} })

  const folder = mkdtempSync(join(forge.data, 'audit-'))
  writeFileSync(join(folder, 'package.json'), '{"dependencies":{"left":"1.0.0","right":"1.0.0"}}')
  writeFileSync(join(folder, 'package-lock.json'), packageLock({ left: '1.0.0', right: '1.0.0' }))
  writeFileSync(join(folder, '.npmrc'), `registry=${forge.url}/packages/acme/npm/\n`)
  const run = Bun.spawn(['npm', 'audit', '--json', '--package-lock-only'], {
    cwd: folder,
    stderr: 'ignore',
    env: { ...process.env, npm_config_cache: join(folder, 'cache') },
  })
  const report = JSON.parse(await new Response(run.stdout).text()) as {
    vulnerabilities: Record<string, unknown>
  }
  expect(await run.exited).toBe(1)
  expect(Object.keys(report.vulnerabilities)).toEqual(['left'])
  expect(report.vulnerabilities.left).toMatchObject({
    severity: 'high',
    via: [{ title: 'left is broken', range: '<1.2.3' }],
  })
})

test('the older form has a tree of packages', async () => {
  const { ask } = await setUp()
  const tree = {
    dependencies: { top: { version: '1.0.0', dependencies: { left: { version: '1.0.0' } } } },
  }
  for (const path of ['audits', 'audits/quick']) {
    const { body } = await ask(`npm/-/npm/v1/security/${path}`, post(tree))
    expect(body).toMatchObject({
      advisories: {
        'GHSA-left': {
          module_name: 'left',
          cves: ['CVE-2026-1'],
          findings: [{ version: '1.0.0', paths: ['top>left'] }],
        },
      },
      metadata: { vulnerabilities: { high: 1 }, totalDependencies: 2 },
    })
  }
  let deep: object = { version: '1.0.0' }
  for (let depth = 0; depth < 1_000; depth++) deep = { version: '1.0.0', dependencies: { a: deep } }
  const { status } = await ask('npm/-/npm/v1/security/audits', post({ dependencies: { a: deep } }))
  expect(status).toBe(200)
})

test('a tree that repeats one package under many advisories is answered with a bounded list', async () => {
  const { forge, ask } = await setUp()
  await importOsv(
    forge,
    Array.from({ length: 30 }, (_, at) => osv(`GHSA-many-${at}`, 'many', '9.0.0')),
  )
  const nodes = Array.from({ length: 2_000 }, (_, at) => [
    `top${at}`,
    { version: '1.0.0', dependencies: { many: { version: '1.0.0' } } },
  ])
  const { body } = await ask('npm/-/npm/v1/security/audits', {
    ...post({ dependencies: Object.fromEntries(nodes) as object }),
  })
  const advisories = Object.values(body.advisories as Record<string, { findings: unknown[] }>)
  expect(advisories[0]?.findings).toHaveLength(2_000)
  expect(advisories.flatMap(({ findings }) => findings)).toHaveLength(20_000)
})

test('Composer and NuGet are told where to ask, and are answered', async () => {
  const { forge, ask } = await setUp()
  const root = (await ask('composer/packages.json')).body
  const { 'api-url': address } = root['security-advisories'] as { 'api-url': string }
  expect(address).toStartWith(forge.url)
  const form = new URLSearchParams([
    ['packages[]', 'acme/thing'],
    ['packages[0]', 'acme/other'],
  ])
  const composer = await fetch(address, { method: 'POST', body: form })
  expect(await composer.json()).toEqual({
    advisories: {
      'acme/thing': [
        expect.objectContaining({ advisoryId: 'GHSA-php', affectedVersions: '>=1.0.0,<2.0.0' }),
      ],
    },
  })
  const service = (await ask('nuget/v3/index.json')).body.resources as Record<string, string>[]
  const index = service.find((one) => one['@type'] === 'VulnerabilityInfo/6.7.0')?.['@id'] ?? ''
  const pages = (await (await fetch(index)).json()) as Record<string, string>[]
  expect(pages).toMatchObject([{ '@name': 'base' }, { '@name': 'published' }])
  expect(await (await fetch(pages[0]?.['@id'] ?? '')).json()).toEqual({
    'some.thing': [expect.objectContaining({ severity: 2, versions: '[1.0.0, 2.0.0)' })],
  })
})

test('what was imported is rendered again after an import only', async () => {
  const { forge, ask } = await setUp()
  const page = `${forge.url}/packages/acme/nuget/v3/vulnerabilities/base.json`
  const first = await fetch(page)
  const etag = first.headers.get('etag') ?? ''
  expect(Object.keys((await first.json()) as object)).toEqual(['some.thing'])
  const again = await fetch(page, { headers: { 'if-none-match': etag } })
  expect(again.status).toBe(304)
  const { body: before } = await ask('nuget/v3/vulnerabilities/index.json')
  forge.clock.advance(60_000)
  await importOsv(
    forge,
    // More than are read in one turn.
    Array.from({ length: 450 }, (_, at) =>
      osv(`GHSA-net-${at}`, 'x', null, affected('NuGet', `Many.${at}`, '2.0.0')),
    ),
  )
  const both = await Promise.all([fetch(page, { headers: { 'if-none-match': etag } }), fetch(page)])
  for (const response of both) {
    expect(response.status).toBe(200)
    const names = Object.keys((await response.json()) as object)
    expect(names).toHaveLength(451)
    expect(names).toContain('many.449')
  }
  const { body: after } = await ask('nuget/v3/vulnerabilities/index.json')
  const updatedOf = (pages: unknown) => (pages as Record<string, string>[])[0]?.['@updated'] ?? ''
  expect(updatedOf(after) > updatedOf(before)).toBe(true)
})

test('audits count what public repositories of the workspace published, and nobody else', async () => {
  const { forge, ask } = await setUp()
  const ada = await forge.user('ada')
  await forge.workspace('other', { owner: ada })
  await forge.repo('acme/library', { as: ada })
  await forge.repo('acme/hidden', { as: ada, private: true })
  const publish = async (repo: string, suffix: string) => {
    const { id } = await forge.call(createAdvisory, ada, {
      repo,
      title: `own ${suffix}`,
      description: 'It does.',
      severity: 'critical',
      packages: [
        { type: 'npm', name: `own-${suffix}`, vulnerable: '< 1.4.2', patched: '1.4.2' },
        { type: 'composer', name: `acme/own-${suffix}`, vulnerable: '< 1.4.2', patched: '1.4.2' },
        { type: 'nuget', name: `Own.${suffix}`, vulnerable: '< 1.4.2', patched: '1.4.2' },
      ],
    })
    await forge.call(updateAdvisory, ada, { repo, id, state: 'published' })
    return id
  }
  const id = await publish('acme/library', 'a')
  await publish('acme/hidden', 'b')
  const audit = async (workspace: string) => {
    const at = `../${workspace}`
    const asked = { 'own-a': ['1.0.0'], 'own-b': ['1.0.0'] }
    const npm = await ask(`${at}/npm/-/npm/v1/security/advisories/bulk`, post(asked))
    const names = 'packages[]=acme/own-a&packages[]=acme/own-b'
    const composer = await ask(`${at}/composer/security-advisories?${names}`)
    const page = await ask(`${at}/nuget/v3/vulnerabilities/published.json`)
    return [npm.body, composer.body.advisories, page.body].map((one) => Object.keys(one as object))
  }
  expect(await audit('acme')).toEqual([['own-a'], ['acme/own-a'], ['own.a']])
  expect(await audit('other')).toEqual([[], [], []])
  await forge.call(updateAdvisory, ada, { repo: 'acme/library', id, state: 'withdrawn' })
  expect(await audit('acme')).toEqual([[], [], []])
})
