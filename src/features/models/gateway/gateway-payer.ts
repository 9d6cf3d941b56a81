/** Who calls the gateway, and which workspace pays. */
import { decide, writesRepo, writesWorkspace } from '#core/access.ts'
import type { AgentCaller, Caller, SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { findAgent, isBuiltIn } from '#features/agents/index.ts'
import { fullNameOf, repoById } from '#features/repos/index.ts'
import { listMemberships, workspaceById } from '#features/workspaces/index.ts'
import { forbidden, Refusal } from '#lib/errors.ts'
import { pullIdOfAgent, type Payer } from '../payer.ts'
import { findGateway } from '../store-gateway.ts'

const SCOPE = { scope: 'models:use' }
const FOR_AGENTS = writesRepo('write', SCOPE)
const FOR_MEMBERS = writesWorkspace('member', SCOPE)

/** Longer than any token. */
const MAX_SECRET_LENGTH = 512
const WORKSPACE_HEADER = 'x-hearth-workspace'

/** The token, wherever clients of models put their key. */
function secretOf(headers: Headers): string | null {
  const authorization = headers.get('authorization')
  const [, bearer] = /^bearer\s+(\S+)$/i.exec(authorization ?? '') ?? []
  return bearer ?? headers.get('x-api-key') ?? headers.get('x-goog-api-key')
}

/** Throws 401. */
function callerOf(hearth: Hearth, { request, query }: ProtocolRequest): SignedIn {
  const invalid = (message: string): Refusal =>
    new Refusal('unauthenticated', message, { reason: 'invalid_token' })
  if (/(?:^|&)(key|access_token)=/.test(query))
    throw invalid('a token in the address is refused: send it in a header, and revoke this one')
  const secret = secretOf(request.headers)
  if (secret === null)
    throw invalid('send a token of this forge with the scope models:use as the API key')
  const caller: Caller | null =
    secret.length > MAX_SECRET_LENGTH ? null : hearth.callers.byToken(secret)
  if (caller === null || caller.kind === 'anonymous' || caller.token?.audience === 'mcp')
    throw invalid('this token is not valid: it may have ended or been revoked')
  return caller
}

type WhoPays = Omit<Payer, 'task'>

function agentPayer(hearth: Hearth, caller: AgentCaller): WhoPays {
  const { db } = hearth
  const repo = repoById(db, caller.repo_id)
  const agent = findAgent(db, caller.id)
  if (!repo || !agent) throw forbidden('role', 'this agent has ended')
  decide(FOR_AGENTS, caller, { repo: fullNameOf(db, repo) }, hearth.facts)
  return {
    workspace_id: repo.workspace_id,
    actor_id: caller.id,
    pull_id: pullIdOfAgent(db, agent),
    outside: !isBuiltIn(hearth, db, caller.id),
  }
}

/** The workspace of a token: its own, the one that a header names, or the only possible one. */
function workspaceOf(hearth: Hearth, caller: SignedIn, named: string | null): string {
  const { db } = hearth
  if (named !== null) return named
  const id = caller.kind === 'workspace' ? caller.id : (caller.token?.workspace ?? null)
  const own = id === null ? null : workspaceById(db, id)
  if (own) return own.slug
  const open = listMemberships(db, caller.id).filter(
    ({ workspace_id }) => findGateway(db, workspace_id)?.outside === 1,
  )
  const [only] = open
  if (only && open.length === 1) return workspaceById(db, only.workspace_id)?.slug ?? ''
  throw new Refusal(
    'bad_request',
    open.length === 0
      ? 'no workspace of yours lets programs outside call its models; an owner switches it on under Settings, Models'
      : `you are in several workspaces with models; name one in the header ${WORKSPACE_HEADER}`,
  )
}

function memberPayer(hearth: Hearth, caller: SignedIn, { request }: ProtocolRequest): WhoPays {
  const workspace = workspaceOf(hearth, caller, request.headers.get(WORKSPACE_HEADER))
  const grant = decide(FOR_MEMBERS, caller, { workspace }, hearth.facts)
  if (!grant.workspace) throw new TypeError('the rule has a workspace')
  return { workspace_id: grant.workspace.id, actor_id: caller.id, pull_id: null, outside: true }
}

/** Who pays for a request. Throws 401, 403 and 404. */
export function payerOf(hearth: Hearth, http: ProtocolRequest): WhoPays {
  const caller = http.as ?? callerOf(hearth, http)
  const payer =
    caller.kind === 'agent' ? agentPayer(hearth, caller) : memberPayer(hearth, caller, http)
  if (payer.outside && findGateway(hearth.db, payer.workspace_id)?.outside !== 1)
    throw forbidden(
      'gateway_off',
      'this workspace does not let programs outside call its models; an owner switches it on under Settings, Models',
    )
  return payer
}
