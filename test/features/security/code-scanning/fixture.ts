/** A forge to which scanners upload. */
import { gzipSync } from 'node:zlib'
import type { SignedIn } from '#core/caller.ts'
import { getCodeScanningAlert } from '#features/security/code-scanning/get-code-scanning-alert.ts'
import { getSarif } from '#features/security/code-scanning/get-sarif.ts'
import { listCodeScanningAlerts } from '#features/security/code-scanning/list-code-scanning-alerts.ts'
import { uploadSarif } from '#features/security/code-scanning/upload-sarif.ts'
import { makePullWorld, REPO } from '../../pulls/fixture.ts'

export { REPO }

export type Finding = {
  readonly path: string
  readonly line?: number
  readonly rule?: string
  readonly level?: string
  readonly message?: string
}

/** A file as a scanner writes it. The rule `sql` has a score, others have levels. */
export const sarif = (findings: readonly Finding[], change: object = {}) => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'Scanner',
          semanticVersion: '1.2.3',
          rules: [
            {
              id: 'sql',
              name: 'SqlInjection',
              shortDescription: { text: 'Query from user input' },
              help: { markdown: 'Use **parameters**.' },
              properties: { 'security-severity': '9.8', tags: ['security'] },
            },
          ],
        },
      },
      results: findings.map(({ path, line = 1, rule = 'sql', level, message }) => ({
        ruleId: rule,
        ...(level === undefined ? {} : { level }),
        message: { text: message ?? `${rule} here` },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: path, uriBaseId: '%SRCROOT%' },
              region: { startLine: line },
            },
          },
        ],
      })),
      ...change,
    },
  ],
})

export const packed = (file: object): string => gzipSync(JSON.stringify(file)).toString('base64')

export async function makeScanWorld() {
  const fixture = await makePullWorld()
  const { world, ada, ref } = fixture
  /** Uploads results of a ref and processes them. */
  const scan = async (
    findings: readonly Finding[],
    place: {
      branch?: string
      git_ref?: string
      sha?: string
      category?: string
      as?: SignedIn
    } = {},
    change: object = {},
  ) => {
    const branch = place.branch ?? 'main'
    const { id } = await world.call(uploadSarif, place.as ?? ada, {
      repo: REPO,
      commit_sha: place.sha ?? ref(branch) ?? '',
      git_ref: place.git_ref ?? `refs/heads/${branch}`,
      sarif: packed(sarif(findings, change)),
      ...(place.category === undefined ? {} : { category: place.category }),
    })
    await world.jobs()
    return world.call(getSarif, ada, { repo: REPO, id })
  }
  type Filter = Omit<NonNullable<(typeof listCodeScanningAlerts)['__input']>, 'repo'>
  return {
    ...fixture,
    scan,
    alerts: async (filter: Filter = {}) =>
      (await world.call(listCodeScanningAlerts, ada, { repo: REPO, ...filter })).items,
    alert: (id: string) => world.call(getCodeScanningAlert, ada, { repo: REPO, id }),
  }
}
