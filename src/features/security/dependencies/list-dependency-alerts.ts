import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { dependencyAlertRecord } from './alert-record.ts'
import { ADVISORY_SEVERITIES, DEPENDENCY_ALERT_STATES, DependencyAlerts } from './schema.ts'
import { listDependencyAlertRows } from './store-alerts.ts'

export const listDependencyAlerts = operation({
  name: 'list_dependency_alerts',
  summary:
    'List the packages of the default branch with known vulnerabilities, the most severe first, with the version that mends each (Write, or a security manager). state open, dismissed or fixed.',
  keywords: [
    'vulnerable dependencies',
    'security updates',
    'CVE',
    'advisories',
    'outdated packages',
  ],
  route: 'GET /repos/{owner}/{name}/dependency-alerts',
  toolset: 'security',
  access: readsRepoAs('write', { scope: 'security:read', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    state: Type.Optional(OneOf(DEPENDENCY_ALERT_STATES)),
    severity: Type.Optional(OneOf(ADVISORY_SEVERITIES)),
    packages: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        maxItems: 100,
        description: 'Only alerts of packages with one of these names.',
      }),
    ),
    ...byPage(),
  }),
  output: DependencyAlerts,
  list: 'page',
  // Whoever can push writes the lock files, and others write the advisories.
  untrusted: ({ items }) =>
    items.flatMap((_, index) => [
      `/items/${index}/package/name`,
      `/items/${index}/advisory/summary`,
    ]),

  handler: ({ hearth, db, repo }, { state, severity, packages, ...paging }) => {
    const window = windowOf(paging)
    const filter = {
      repo_id: repo.id,
      state: state ?? null,
      severity: severity ?? null,
      packages: packages ?? null,
    }
    const rows = listDependencyAlertRows(db, filter, window)
    return pageOf(
      rows.map((row) => dependencyAlertRecord(hearth, repo, row)),
      window,
    )
  },
})
