/**
 * Settings of clients in the home of a job: they find the registries of the workspace, and send the
 * token of the job there. So a job publishes and installs without a secret in its file.
 */
import { includesScope } from '#core/scopes.ts'
import type { JobHomeFiles } from '#core/job-homes.ts'
import { anonymous } from '#core/caller.ts'
import { FORMATS } from './formats/index.ts'
import { hasNamesWithPrefix } from './store-lists.ts'

/**
 * The files by path below the home. None for a token that reads no packages: steps that install
 * the packages of strangers then find none.
 */
export const jobClientFiles: JobHomeFiles = (hearth, { workspace, site_url, token }) => {
  const caller = hearth.callers.byToken(token)
  if (caller === null || caller.kind === 'anonymous') return {}
  const scopes = caller.token?.scopes ?? []
  if (!includesScope(scopes, 'packages:read')) return {}
  const workspace_id = hearth.facts.workspace(workspace, anonymous)?.id ?? ''
  const common = {
    workspace,
    site_url,
    site_urls: [...new Set([site_url, hearth.settings.site_url])],
    token,
    mayPublish: includesScope(scopes, 'packages:write'),
  }
  return Object.assign(
    {},
    ...FORMATS.map(({ type, jobFiles }) =>
      jobFiles?.({
        ...common,
        hasNames: (prefix) => hasNamesWithPrefix(hearth.db, workspace_id, type, prefix),
      }),
    ),
  )
}
