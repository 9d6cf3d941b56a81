import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { dependencyAlertRecord, requireDependencyAlert } from './alert-record.ts'
import { DependencyAlert, DependencyAlertId } from './schema.ts'

export const getDependencyAlert = operation({
  name: 'get_dependency_alert',
  summary: 'One alert of a dependency, for its page.',
  route: null,
  access: readsRepoAs('write', { scope: 'security:read', securityManager: true }),
  input: Type.Object({ repo: RepoPath, id: DependencyAlertId }),
  output: DependencyAlert,

  handler: ({ hearth, db, repo }, { id }) =>
    dependencyAlertRecord(hearth, repo, requireDependencyAlert(db, repo, id)),
})
