import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { deployKeyRecords } from './deploy-key-record.ts'
import { DeployKeys } from './schema.ts'
import { listDeployKeyRows } from './store-deploy-keys.ts'

export const listDeployKeys = operation({
  name: 'list_deploy_keys',
  summary:
    'List the deploy keys of a repository, with which machines read or write it over SSH, the newest first (Admin). For people only.',
  keywords: ['deploy keys', 'SSH keys of a server', 'machine keys'],
  route: 'GET /repos/{owner}/{name}/keys',
  toolset: 'access',
  access: { ...readsRepoAs('admin', { scope: 'access:admin' }), person: true },
  input: Type.Object({ repo: RepoPath }),
  output: DeployKeys,
  list: 'page',

  handler: ({ hearth, db, repo }) => ({
    items: deployKeyRecords(hearth, listDeployKeyRows(db, repo.id)),
    next: null,
  }),
})
