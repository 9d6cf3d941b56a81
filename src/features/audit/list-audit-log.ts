import { operation } from '#core/operation.ts'
import type { Db } from '#core/db.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { repoByPath } from '#features/repos/index.ts'
import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import { invalid } from '#lib/errors.ts'
import {
  auditEntries,
  auditPage,
  auditFilters,
  startEntryOf,
  auditCriteriaOf,
} from './audit-filters.ts'
import { AuditEntries } from './schema.ts'

/** The id of a repository of the workspace by full name or name, deleted ones included. */
function requireRepoId(db: Db, workspace: { id: string; slug: string }, name: string): string {
  const row = repoByPath(db, name.includes('/') ? name : `${workspace.slug}/${name}`)
  if (row?.workspace_id !== workspace.id)
    throw invalid(
      'repo',
      `${workspace.slug} has no repository ${JSON.stringify(name.slice(0, 160))}`,
    )
  return row.id
}

type Input = { workspace: string; repo?: string; actor?: string; action?: string; since?: string }

const criteriaOf = (db: Db, workspace: { id: string; slug: string }, input: Input) => ({
  ...auditCriteriaOf(db, input),
  workspace_id: workspace.id,
  repo_id: input.repo === undefined ? undefined : requireRepoId(db, workspace, input.repo),
})

export const listAuditLog = operation({
  name: 'list_audit_log',
  summary:
    'List who changed access, settings, tokens or secrets of a workspace and its repositories, newest first, with what was before and after. For its owners.',
  keywords: [
    'audit',
    'who changed a setting',
    'who gave access',
    'security log',
    'compliance',
    'who did what and when',
  ],
  route: 'GET /workspaces/{workspace}/audit-log',
  toolset: 'admin',
  access: readsWorkspaceAsOwner({ scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    repo: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 160,
        description: 'Only entries about this repository, as <owner>/<name>.',
      }),
    ),
    ...auditFilters,
  }),
  output: AuditEntries,
  list: 'before',

  handler: ({ hearth, db, workspace }, input) =>
    auditPage(hearth, criteriaOf(db, workspace, input), input),
  lines: ({ hearth, db, workspace }, input) =>
    auditEntries(hearth, criteriaOf(db, workspace, input), startEntryOf(input)),
})
