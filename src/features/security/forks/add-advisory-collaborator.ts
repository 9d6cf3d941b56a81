import { writesRepoAsPerson } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { findUser } from '#features/accounts/index.ts'
import {
  auditRepo,
  findRoleParts,
  highestRole,
  requireLive,
  type RepoRow,
} from '#features/repos/index.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { isSecurityManager } from '../managers/store.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { collaboratorRecord } from './collaborator-record.ts'
import { requireAdvisory } from './fork.ts'
import { AdvisoryCollaborator } from './schema.ts'
import {
  findCollaborator,
  insertCollaborator,
  listCollaboratorRows,
} from './store-collaborators.ts'

const MAX_COLLABORATORS = 100

/** Whether a person reads the repository: an invitation gives no access to its code. */
const readsRepository = (db: Db, row: RepoRow, person_id: string): boolean =>
  row.private === 0 ||
  highestRole(findRoleParts(db, row.id, person_id)) !== null ||
  isSecurityManager(db, row.workspace_id, person_id)

export const addAdvisoryCollaborator = operation({
  name: 'add_advisory_collaborator',
  summary:
    'Invite a person who can read the repository to work on an advisory: they see its draft and use its private fork (Admin or a security manager, people only).',
  keywords: ['invite to a security advisory', 'let the reporter see the fix'],
  route: 'PUT /repos/{owner}/{name}/security/advisories/{id}/collaborators/{username}',
  toolset: 'security',
  annotations: { idempotent: true },
  access: writesRepoAsPerson('admin', { scope: 'security:write', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    id: AdvisoryId,
    username: Type.String({ minLength: 1, maxLength: 100, description: 'Whom to invite.' }),
  }),
  output: AdvisoryCollaborator,

  handler: ({ hearth, repo, caller, write }, { id, username }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const advisory = requireAdvisory(tx.db, repo, id)
      const name = username.trim().replace(/^@/, '')
      const person = findUser(tx.db, name)
      if (!person) throw notFound(`the person ${name}`)
      if (!readsRepository(tx.db, live, person.id))
        throw conflict(
          'not_available',
          `${person.username} cannot read ${repo.full_name}: give them the role read first`,
        )
      if (listCollaboratorRows(tx.db, advisory.id).length >= MAX_COLLABORATORS)
        throw conflict('limit_reached', `an advisory has at most ${MAX_COLLABORATORS} people`)
      const invited = { advisory_id: advisory.id, user_id: person.id, added_by: caller.id }
      if (insertCollaborator(tx, invited))
        auditRepo(tx, 'security.advisory_collaborator_added', live, {
          after: { advisory: advisory.id, username: person.username },
        })
      const row = findCollaborator(tx.db, advisory.id, person.id)
      if (!row) throw new TypeError('the person who was just invited is gone')
      return collaboratorRecord(hearth, row)
    }),
})
