import { writesRepoAsPerson } from '#core/access.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { deployKeyRecords } from './deploy-key-record.ts'
import { readKey, requireNewKey } from './read-key.ts'
import { DeployKey, KeyLine, KeyTitle } from './schema.ts'
import { findDeployKey, insertDeployKey, listDeployKeyRows } from './store-deploy-keys.ts'

const MAX_DEPLOY_KEYS = 50

export const addDeployKey = operation({
  name: 'add_deploy_key',
  summary:
    'Add a public SSH key with which a machine reads this one repository over SSH; with read_only false it also pushes (Admin). For people only.',
  keywords: ['deploy key', 'SSH access for a server', 'machine key', 'CI key'],
  route: 'POST /repos/{owner}/{name}/keys',
  toolset: 'access',
  access: writesRepoAsPerson('admin', { scope: 'access:admin' }),
  input: Type.Object({
    repo: RepoPath,
    title: KeyTitle,
    key: KeyLine,
    read_only: Type.Optional(
      Type.Boolean({ description: 'Whether it only reads; true unless given.' }),
    ),
  }),
  output: DeployKey,
  status: 201,

  handler: ({ hearth, repo, caller, write }, { title, key: line, read_only = true }) => {
    if (repo.parent_id !== null)
      throw invalid('repo', 'a fork has no deploy keys of its own: add them to its repository')
    const { algorithm, blob, fingerprint } = readKey(line)
    return write((tx) => {
      const live = requireLive(tx.db, repo.id)
      requireNewKey(tx.db, fingerprint)
      if (listDeployKeyRows(tx.db, repo.id).length >= MAX_DEPLOY_KEYS)
        throw conflict('limit_reached', `a repository has at most ${MAX_DEPLOY_KEYS} deploy keys`)
      const id = typeId('key', tx.now_ms)
      insertDeployKey(tx, {
        id,
        repo_id: repo.id,
        title: title.trim(),
        read_only: read_only ? 1 : 0,
        algorithm,
        key: Buffer.from(blob).toString('base64'),
        fingerprint,
        created_by: caller.id,
        created_at: tx.now,
      })
      auditRepo(tx, 'deploy_key.added', live, {
        after: { title: title.trim(), read_only, fingerprint },
      })
      const row = findDeployKey(tx.db, id)
      const [record] = row ? deployKeyRecords(hearth, [row]) : []
      if (!record) throw new TypeError('the key that was just added is gone')
      return record
    })
  },
})
