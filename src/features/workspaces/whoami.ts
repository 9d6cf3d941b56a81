import { signedIn } from '#core/access.ts'
import type { AgentCaller, SignedIn, UserCaller, WorkspaceCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import {
  actorOf,
  avatarUrl,
  findToken,
  findUserById,
  tokenRecord,
} from '#features/accounts/index.ts'
import { Refusal } from '#lib/errors.ts'
import { CurrentUser } from './schema.ts'
import { listMemberships, workspaceById, type Membership } from './store.ts'

const accountGone = () => new Refusal('unauthenticated', 'the account of this token is gone')

function tokenOf(hearth: Hearth, caller: SignedIn): CurrentUser['token'] {
  const row = caller.token && findToken(hearth.db, caller.token.id)
  if (!row) return null
  const { id, name, kind, scopes, repos, expires_at } = tokenRecord(hearth, row)
  return { id, name, kind, scopes, repos, expires_at }
}

const membershipRecord = ({
  workspace_id,
  ...rest
}: Membership): CurrentUser['workspaces'][number] => ({
  id: workspace_id,
  ...rest,
})

/** The profile fields of agents and workspaces. */
const NO_PROFILE = {
  bio: null,
  company: null,
  location: null,
  website: null,
  pronouns: null,
  email: null,
  verified: true,
  private_email: true,
  time_zone: null,
  language: null,
  theme: null,
  locale: null,
  two_factor_enabled: false,
  site_admin: false,
} as const

type CommonFields = Pick<CurrentUser, 'id' | 'username' | 'avatar_url' | 'token'>

/** The account of a caller as `whoami` returns it. */
export function currentUser(hearth: Hearth, caller: SignedIn): CurrentUser {
  const common = {
    id: caller.id,
    username: caller.username,
    avatar_url: avatarUrl(hearth, caller.id),
    token: tokenOf(hearth, caller),
  }
  switch (caller.kind) {
    case 'user':
      return userAccount(hearth, caller, common)
    case 'workspace':
      return workspaceAccount(hearth, caller, common)
    case 'agent':
      return agentAccount(hearth, caller, common)
  }
}

function userAccount(
  { db, settings }: Hearth,
  caller: UserCaller,
  common: CommonFields,
): CurrentUser {
  const row = findUserById(db, caller.id)
  if (!row) throw accountGone()
  const limit = caller.token?.workspace ?? null
  return {
    ...common,
    kind: 'user',
    name: row.name,
    html_url: `${settings.site_url}/${row.username}`,
    bio: row.bio,
    company: row.company,
    location: row.location,
    website: row.website,
    pronouns: row.pronouns,
    email: row.email,
    verified: row.verified_at !== null,
    private_email: row.private_email === 1,
    time_zone: row.time_zone,
    language: row.language,
    theme: row.theme,
    locale: row.locale,
    two_factor_enabled: row.two_factor_enabled === 1,
    site_admin: row.site_admin === 1,
    created_at: row.created_at,
    updated_at: row.updated_at,
    agent: null,
    workspaces: listMemberships(db, caller.id)
      .filter(({ workspace_id }) => limit === null || workspace_id === limit)
      .map(membershipRecord),
  }
}

function workspaceAccount(
  { db, settings }: Hearth,
  caller: WorkspaceCaller,
  common: CommonFields,
): CurrentUser {
  const row = workspaceById(db, caller.id)
  if (!row) throw accountGone()
  return {
    ...common,
    ...NO_PROFILE,
    kind: 'workspace',
    name: row.name,
    html_url: `${settings.site_url}/${row.slug}`,
    created_at: row.created_at,
    updated_at: row.updated_at,
    agent: null,
    workspaces: [
      {
        id: row.id,
        slug: row.slug,
        name: row.name,
        role: 'member',
        two_factor_required: row.two_factor_requirement_enabled === 1,
      },
    ],
  }
}

function agentAccount(hearth: Hearth, caller: AgentCaller, common: CommonFields): CurrentUser {
  const { db, settings } = hearth
  const token = findToken(db, caller.token.id)
  if (!token) throw accountGone()
  const repo = common.token?.repos?.[0] ?? ''
  const [slug] = repo.split('/')
  const owner = actorOf(hearth, caller.owner_id)
  const { created_at } = token
  return {
    ...common,
    ...NO_PROFILE,
    kind: 'agent',
    name: actorOf(hearth, caller.id).name,
    html_url: `${settings.site_url}/${repo}`,
    created_at,
    updated_at: created_at,
    workspaces: listMemberships(db, caller.owner_id)
      .filter((membership) => membership.slug === slug)
      .map((membership) => ({ ...membershipRecord(membership), role: 'member' })),
    agent: {
      id: caller.id,
      name: caller.username.slice(caller.username.indexOf('/') + 1),
      repo,
      pull: token.pull_number,
      on_behalf_of: { id: owner.id, username: owner.username },
    },
  }
}

export const whoami = operation({
  name: 'whoami',
  summary:
    'Get the account that the token belongs to: its kind (user, workspace or agent), its workspaces with the role in each, and what the token may do.',
  keywords: [
    'who am I',
    'current user',
    'my account',
    'logged in',
    'which account',
    'my scopes',
    'what may my token do',
  ],
  route: 'GET /v1/user',
  aliases: ['get_me', 'get_current_user'],
  toolset: 'access',
  listed: 'core',
  access: signedIn(),
  input: Type.Object({}),
  output: CurrentUser,

  handler: ({ hearth, caller }) => currentUser(hearth, caller),
})
