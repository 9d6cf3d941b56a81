import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, RepoPath, Type } from '#core/schema.ts'
import { findUser } from '#features/accounts/index.ts'
import { auditRepo, authorChanges, requireLive } from '#features/repos/index.ts'
import { listMemberships } from '#features/workspaces/index.ts'
import { conflict, forbidden, invalid, notFound } from '#lib/errors.ts'
import { personRecord } from './import-record.ts'
import { ImportedPerson } from './schema.ts'
import { findPersonRow, setMappedTo } from './store-steps.ts'

export const mapImportedPerson = operation({
  name: 'map_imported_person',
  summary:
    'Say which member of the workspace an imported person is: what they wrote in the repository is theirs from then on, for good. For Admin; people only.',
  keywords: ['assign imported author', 'claim imported issues'],
  route: 'POST /repos/{owner}/{name}/imported-people/{id}',
  toolset: 'mirrors',
  access: writesRepo('admin', { scope: 'repo:admin' }),
  input: Type.Object({
    repo: RepoPath,
    id: Id('usr'),
    username: Type.String({ minLength: 1, maxLength: 100, description: 'The account here.' }),
  }),
  output: ImportedPerson,
  status: 200,

  handler: ({ hearth, caller, repo, write }, { id, username }) => {
    if (caller.kind !== 'user')
      throw forbidden('role', 'only a person can say whose account this is')
    return write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = findPersonRow(tx.db, repo.id, id)
      if (!row) throw notFound(`the imported person ${id}`)
      const user = findUser(tx.db, username.trim())
      const isMember =
        user !== null &&
        listMemberships(tx.db, user.id).some(
          ({ workspace_id }) => workspace_id === live.workspace_id,
        )
      if (!user || !isMember)
        throw invalid('username', `${username.slice(0, 100)} is no member of the workspace`)
      if (row.mapped_to !== null && row.mapped_to !== user.id)
        throw conflict('already_exists', `${row.login} is mapped to another account already`)
      if (row.mapped_to === null) {
        setMappedTo(tx, id, user.id)
        for (const change of authorChanges.all(hearth)) change(tx, repo.id, id, user.id)
        auditRepo(tx, 'import.person_mapped', live, {
          after: { login: row.login, host: row.host, username: user.username },
        })
      }
      return personRecord(hearth, { ...row, mapped_to: user.id })
    })
  },
})
