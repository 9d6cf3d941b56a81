/** Alerts of scanners, secrets and dependencies, reports and advisories with very long texts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { madeUpToken } from '../../features/security/secrets/fixture.ts'
import { REPO, until, type Filling } from './filling.ts'
import { denseText, longDocument, longLine } from './texts.ts'

const AT = `/repos/${REPO}`

const RULES = Array.from({ length: 20 }, (_, at) => ({
  id: `rule-${at}-${'with-a-long-name-'.repeat(12)}`,
  name: longLine(250, at),
  shortDescription: { text: longLine(990, at) },
  fullDescription: { text: longLine(990, at) },
  help: { markdown: at % 2 === 0 ? longDocument(8_000) : denseText(8_000) },
  properties: {
    'security-severity': '8.1',
    tags: Array.from({ length: 20 }, (_, by) => `tag ${by} & <more>`),
  },
}))

const sarif = {
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: longLine(90), semanticVersion: '2.1.0', rules: RULES } },
      results: Array.from({ length: 300 }, (_, at) => ({
        ruleId: RULES[at % 20]?.id,
        message: { text: longLine(990, at) },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: at % 2 === 0 ? 'docs/log.txt' : 'docs/one-line.txt' },
              region: { startLine: at % 2 === 0 ? (at % 50) + 1 : 1 },
            },
          },
        ],
        partialFingerprints: { 'one/v1': String(at) },
      })),
    },
  ],
}

const advisoryFile = (at: number): string =>
  JSON.stringify({
    id: `GHSA-aaaa-bbbb-${String(at).padStart(4, '0')}`,
    modified: '2026-01-01T00:00:00Z',
    published: '2026-01-01T00:00:00Z',
    aliases: Array.from({ length: 30 }, (_, by) => `CVE-2026-${1_000 + at * 100 + by}`),
    summary: longLine(500, at),
    details: at % 2 === 0 ? longDocument(120_000) : denseText(120_000),
    references: Array.from({ length: 100 }, (_, by) => ({
      type: 'WEB',
      url: `https://example.com/${'long/'.repeat(40)}${by}`,
    })),
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
    affected: [
      {
        package: {
          ecosystem: 'npm',
          name: at === 0 ? 'husk' : `a-dependency-with-a-rather-long-name-${at}`,
        },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '99.0.1' }] }],
      },
    ],
  })

async function findDependencies({ hearth, ask }: Filling): Promise<void> {
  const folder = join(hearth.work, 'advisories')
  mkdirSync(folder)
  for (let at = 0; at < 80; at++) writeFileSync(join(folder, `${at}.json`), advisoryFile(at))
  const command = ['advisories', 'import', folder, '--data', hearth.data]
  const imported = Bun.spawnSync([hearth.executable, ...command], { env: { TZ: 'UTC' } })
  if (!imported.success) throw new Error(String(imported.stderr))
  await ask('PATCH', `${AT}/settings`, { push_protection: false })
  for (let at = 0; at < 4; at++)
    await ask('POST', `${AT}/commits`, {
      branch: 'main',
      message: 'Add secrets',
      files: Array.from({ length: 40 }, (_, by) => ({
        path: `secrets/${'long/'.repeat(20)}${at}-${by}.env`,
        action: 'put',
        content: `${longLine(3_000)} TOKEN=${madeUpToken()}\n`,
      })),
    })
}

export async function fillSecurity(filling: Filling): Promise<string[]> {
  const { ask, times } = filling
  await findDependencies(filling)
  const [head] = (await ask('GET', `${AT}/commits?ref=main&limit=1`)) as unknown as {
    sha: string
  }[]
  await ask('POST', `${AT}/code-scanning/sarifs`, {
    commit_sha: head?.sha,
    git_ref: 'refs/heads/main',
    sarif,
  })
  const texts = (at: number) => (at % 2 === 0 ? longDocument(59_000) : denseText(59_000))
  // A person sends at most ten an hour, and the story of the tour has some.
  await times(8, (at) =>
    ask('POST', `${AT}/security/reports`, {
      title: longLine(245, at),
      description: texts(at),
      severity: 'high',
    }),
  )
  await times(60, (at) =>
    ask('POST', `${AT}/security/advisories`, {
      title: longLine(245, at),
      description: texts(at),
      severity: 'high',
      packages: Array.from({ length: 50 }, (_, by) => ({
        type: 'npm',
        name: longLine(190, by),
        vulnerable: `< 1.${by}`,
        patched: longLine(90, by),
      })),
    }),
  )
  for (const alerts of ['code-scanning', 'secret-scanning', 'dependency-alerts']) {
    const path = alerts === 'dependency-alerts' ? `${AT}/${alerts}` : `${AT}/${alerts}/alerts`
    await until(`an alert of ${alerts}`, async () =>
      ((await ask('GET', path)) as unknown as unknown[]).length > 20 ? true : undefined,
    )
  }
  const here = `/${REPO}/security`
  return [
    here,
    '/library/-/security',
    ...[
      'secrets',
      'code-scanning',
      'dependencies',
      'dependency-alerts',
      'reports',
      'advisories',
      'secrets/patterns',
    ].map((rest) => `${here}/${rest}`),
  ]
}
