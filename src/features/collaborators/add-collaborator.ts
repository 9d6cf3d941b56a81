import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { findUser, findUserByEmail, readEmail } from '#features/accounts/index.ts'
import { RoleWord } from '#features/repos/index.ts'
import {
  findStanding,
  invitationRecord,
  sendInvitation,
  requireWorkspace,
} from '#features/workspaces/index.ts'
import { conflict, forbidden, invalid } from '#lib/errors.ts'
import { grantRole, requireCollaborator, requireOwnRepository } from './collaborators.ts'
import { NewCollaborator } from './schema.ts'
import { findGrant } from './store.ts'

export const addCollaborator = operation({
  name: 'add_collaborator',
  summary:
    'Give somebody a role on a repository, by username or address. A member of the workspace has it at once, anyone else is invited. For people with admin.',
  keywords: [
    'give access to a repository',
    'share a repository',
    'grant permission',
    'contractor',
    'outside collaborator',
    'let someone push',
    'add a teammate to a repository',
    'invite to a repository',
  ],
  route: 'POST /repos/{owner}/{name}/collaborators',
  toolset: 'access',
  listed: 'default',
  access: writesRepoAsPerson('admin', { scope: 'access:admin' }),
  input: Type.Object({
    repo: RepoPath,
    invitee: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'A username or an email address.',
    }),
    role: RoleWord,
  }),
  output: NewCollaborator,
  status: 201,

  handler: ({ hearth, caller, repo, write }, { role, ...input }) => {
    requireOwnRepository(repo)
    const invitee = input.invitee.trim().replace(/^@/, '')
    const email = invitee.includes('@') ? readEmail(invitee, 'invitee') : null
    return write((tx) => {
      const person = email === null ? findUser(tx.db, invitee) : findUserByEmail(tx.db, email)
      if (email === null && !person) throw invalid('invitee', `there is no person ${invitee}`)
      if (person && findGrant(tx.db, repo.id, person.id))
        throw conflict(
          'already_exists',
          `${invitee} is a collaborator already; update_collaborator changes the role`,
        )
      if (person && findStanding(tx.db, repo.workspace_id, person.id)) {
        grantRole(tx, repo, person, role, caller.id)
        return {
          collaborator: requireCollaborator(hearth, repo, person.id, caller),
          invitation: null,
        }
      }
      const workspace = requireWorkspace(tx.db, repo.workspace_id)
      if (
        repo.workspace_role !== 'owner' &&
        workspace.members_can_invite_outside_collaborators === 0
      ) {
        throw forbidden('role', `only an owner of ${workspace.slug} may invite people from outside`)
      }
      const to =
        email !== null
          ? ({ invitee_id: null, email } as const)
          : ({ invitee_id: person?.id ?? '', email: null } as const)
      const row = sendInvitation(tx, {
        to,
        role,
        invited_by: caller.id,
        workspace_id: workspace.id,
        repo_id: repo.id,
      })
      tx.audit({
        action: 'repo.collaborator_invited',
        target: { kind: 'invitation', id: row.id, name: invitee },
        workspace_id: workspace.id,
        repo_id: repo.id,
        data: { repository: repo.full_name, after: { role } },
      })
      return { collaborator: null, invitation: invitationRecord(hearth, row) }
    })
  },
})
