import { writesWorkspaceAsPerson } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { findUserById } from '#features/accounts/index.ts'
import { Refusal } from '#lib/errors.ts'
import { Workspace } from './schema.ts'
import { PRIVILEGES, setPrivileges, type Privileges } from './store.ts'
import { requireWorkspace, workspaceRecord } from './workspaces.ts'

const optionalFlag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** An owner who requires a second factor without having one would be locked out at once. */
function requireOwnSecondFactor(db: Db, caller: UserCaller): void {
  if (findUserById(db, caller.id)?.two_factor_enabled === 1) return
  throw new Refusal(
    'forbidden',
    'turn on two-factor sign-in for your own account first, under Security in your settings; then require it of everyone',
    { reason: 'two_factor_required', field: 'two_factor_requirement_enabled' },
  )
}

export const setMemberPrivileges = operation({
  name: 'set_member_privileges',
  summary:
    'Set what members of a workspace may do, and whether all must sign in with a second factor; what is left out stays. For owners, people only. Answers with the workspace.',
  keywords: [
    'what members may do',
    'require two-factor',
    '2FA for everyone',
    'who may create repositories',
    'member permissions',
    'organization policy',
  ],
  route: 'PUT /workspaces/{workspace}/privileges',
  toolset: 'access',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin access:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    team_creation: Type.Optional(
      OneOf(['members', 'owners'] as const, { description: 'Who may create teams.' }),
    ),
    package_creation: Type.Optional(
      OneOf(['members', 'owners'] as const, { description: 'Who may create packages.' }),
    ),
    members_can_create_public_repositories: optionalFlag(
      'Whether members may make public repositories.',
    ),
    members_can_create_private_repositories: optionalFlag(
      'Whether members may make private repositories.',
    ),
    members_can_change_repo_visibility: optionalFlag(
      'Whether admins of a repository who are members may change who sees it.',
    ),
    members_can_delete_repositories: optionalFlag(
      'Whether admins of a repository who are members may delete it.',
    ),
    members_can_invite_outside_collaborators: optionalFlag(
      'Whether admins of a repository who are members may invite people from outside.',
    ),
    two_factor_requirement_enabled: optionalFlag(
      'Whether members without a second factor see nothing private. You must have one yourself.',
    ),
    memory_review: optionalFlag(
      'Whether what agents remember is used only after a day, or once a person kept it.',
    ),
    secret_scanning_required: optionalFlag(
      'Whether every repository is searched for secrets, whatever its own settings say.',
    ),
    push_protection_required: optionalFlag(
      'Whether every repository refuses pushes that add a known form of secret, whatever its own settings say.',
    ),
  }),
  output: Workspace,
  annotations: { idempotent: true },

  handler: ({ hearth, workspace, caller, write }, { workspace: _, ...fields }) => {
    const changes = Object.entries(fields).filter(([, value]) => value !== undefined)
    if (changes.length === 0)
      throw new Refusal('invalid', `give at least one of ${PRIVILEGES.join(', ')}`)
    return write((tx) => {
      const row = requireWorkspace(tx.db, workspace.id)
      if (fields.two_factor_requirement_enabled && row.two_factor_requirement_enabled === 0)
        requireOwnSecondFactor(tx.db, caller)
      const change = Object.fromEntries(
        changes.map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
      ) as Partial<Privileges>
      const changed = PRIVILEGES.filter(
        (name) => change[name] !== undefined && change[name] !== row[name],
      )
      if (changed.length > 0) {
        setPrivileges(tx.db, row.id, change, tx.now)
        const part = (from: Partial<Privileges>) =>
          Object.fromEntries(
            changed.map((name) => [
              name,
              typeof from[name] === 'number' ? from[name] === 1 : from[name],
            ]),
          )
        tx.audit({
          action: 'workspace.privileges_changed',
          target: { kind: 'workspace', id: row.id, name: row.slug },
          workspace_id: row.id,
          data: { before: part(row), after: part(change) },
        })
      }
      return workspaceRecord(hearth, requireWorkspace(tx.db, row.id), workspace.role)
    })
  },
})
