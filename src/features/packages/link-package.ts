import { writesPackage } from '#core/access.ts'
import { reaches } from '#core/caller.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { requireLive } from '#features/repos/index.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { packageOf } from './find-version.ts'
import { auditPackage } from './lifecycle.ts'
import { packageRecord } from './package-record.ts'
import { Package, packageInputs } from './schema.ts'
import { requirePackage, setPackage } from './store.ts'

export const linkPackage = operation({
  name: 'link_package',
  summary:
    'Link a package to a repository of its workspace (Admin of both). It takes the visibility of the repository and, unless inherit_access is off, its roles; workflows of the repository may publish it.',
  keywords: ['connect a package to a repository', 'package source repository'],
  route: 'PUT /workspaces/{workspace}/packages/{package_type}/{package_name}/repository',
  toolset: 'packages',
  access: writesPackage('admin', { scope: 'packages:write', whileArchived: true }),
  input: Type.Object({
    ...packageInputs,
    repository: Type.String({
      minLength: 1,
      maxLength: 160,
      description: 'The name of the repository, or <owner>/<name>.',
    }),
  }),
  output: Package,
  annotations: { idempotent: true },

  handler: ({ hearth, package: grant, caller, write }, { repository }) => {
    const path = repository.includes('/') ? repository : `${grant.workspace}/${repository}`
    const repo = hearth.facts.repo(path, caller)
    const isVisible = repo !== null && !repo.deleted && (repo.role !== null || !repo.private)
    if (!isVisible || repo.workspace_id !== grant.workspace_id || repo.parent_id !== null)
      throw invalid(
        'repository',
        `the workspace ${grant.workspace} has no repository ${repository}`,
      )
    if (!reaches(repo.role, 'admin'))
      throw forbidden('role', `this needs the role admin on ${repo.full_name} too`)
    return write((tx) => {
      const row = packageOf(tx.db, grant)
      const live = requireLive(tx.db, repo.id, { whileArchived: true })
      if (row.repo_id !== live.id) {
        setPackage(tx, row.id, { repo_id: live.id, private: live.private === 1 ? 1 : 0 })
        auditPackage(
          tx,
          'package.linked',
          { ...row, repo_id: live.id },
          {
            before: { repository: row.repo_id, private: row.private === 1 },
            after: { repository: live.id, private: live.private === 1 },
          },
        )
      }
      return packageRecord(hearth, requirePackage(tx.db, row.id), grant.role)
    })
  },
})
