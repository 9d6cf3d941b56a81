import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type, WorkspaceSlug } from '#core/schema.ts'
import { findWorkspace, QUOTA_RESOURCES, type QuotaResource } from '#features/workspaces/index.ts'
import { notFound } from '#lib/errors.ts'
import { Quota } from './schema.ts'
import { putQuota } from './store.ts'
import { quotaRecord } from './usage.ts'

const limit = (what: string) =>
  Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: `The most ${what}; null lifts it, and what is left out stays as it is.`,
      }),
    ),
  )

export const setQuota = operation({
  name: 'set_quota',
  summary:
    'Set how far a workspace may grow. What it has already stays; only more is refused. For site administrators, people only. Answers with the quota.',
  keywords: [
    'storage limit',
    'disk limit of a workspace',
    'limit an organization',
    'raise the quota',
  ],
  route: 'PUT /admin/quotas/{workspace}',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({
    // The administrator need not belong to the workspace.
    workspace: WorkspaceSlug,
    repos_bytes: limit('bytes of git objects'),
    lfs_bytes: limit('bytes of large files'),
    packages_bytes: limit('bytes of packages'),
    artifacts_bytes: limit('bytes of files of releases and of artifacts'),
    actions_bytes: limit('bytes of artifacts, caches and logs of workflows'),
    repositories: limit('repositories'),
    members: limit('members'),
    run_minutes: limit('minutes of runs a month'),
  }),
  output: Quota,
  annotations: { idempotent: true },

  handler: ({ write }, { workspace: slug, ...fields }) =>
    write((tx) => {
      const workspace = findWorkspace(tx.db, slug)
      if (!workspace) throw notFound(`the workspace ${slug}`)
      const before = quotaRecord(tx.db, workspace)
      const limits = Object.fromEntries(
        QUOTA_RESOURCES.map((name) => [
          name,
          fields[name] === undefined ? before[name] : fields[name],
        ]),
      ) as Record<QuotaResource, number | null>
      putQuota(tx, workspace.id, limits)
      const changed = QUOTA_RESOURCES.filter((name) => limits[name] !== before[name])
      const pick = (of: Readonly<Record<QuotaResource, number | null>>) =>
        Object.fromEntries(changed.map((name) => [name, of[name]]))
      tx.audit({
        action: 'workspace.quota_changed',
        target: { kind: 'workspace', id: workspace.id, name: workspace.slug },
        workspace_id: workspace.id,
        data: { before: pick(before), after: pick(limits) },
      })
      return quotaRecord(tx.db, workspace)
    }),
})
