import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { findRepoByName } from '#features/repos/index.ts'
import { findWorkspace, workspaceFacts } from '#features/workspaces/index.ts'
import { invalid, notFound, Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { SECOND } from '#lib/time.ts'
import { requireImportAddress } from './begin-import.ts'
import { completeAddress } from './complete-address.ts'
import { ForgeError } from './forges/forge-client.ts'
import { listOwnedRepos } from './forges/owner-repos.ts'
import { AddressInput, TokenInput } from './inputs.ts'
import { FORGE_SOURCES, RemoteRepos } from './schema.ts'

const TIMEOUT_MS = 30 * SECOND

/** What the other side said, as an answer about the field that causes it. */
function refusalOf(error: unknown): unknown {
  if (error instanceof OutboundError) return invalid('url', error.message)
  if (!(error instanceof ForgeError)) return error
  if (error.isRateLimit)
    return new Refusal('unavailable', error.message, {
      headers: { 'retry-after': String(Math.ceil((error.retryAfterMs ?? SECOND) / SECOND)) },
    })
  return invalid(error.status === 401 || error.status === 403 ? 'token' : 'url', error.message)
}

export const listRemoteRepos = operation({
  name: 'list_remote_repos',
  summary:
    'List the repositories that an owner, an organisation or a group has on another forge, as far as the token sees them, and which names the workspace has already.',
  keywords: ['import an organisation', 'repositories of a GitHub organisation', 'GitLab group'],
  route: 'POST /imports/remote-repos',
  toolset: 'mirrors',
  access: signedIn({ scope: 'repo:admin', writes: true }),
  input: Type.Object({
    source: OneOf(FORGE_SOURCES),
    url: AddressInput('Of the owner, the organisation or the group; or of one repository.'),
    token: Type.Optional(TokenInput('A token of the other side, which is not kept.')),
    workspace: WorkspaceSlug,
    cursor: Type.Optional(
      Type.String({ maxLength: 200, description: 'The `next` of the answer before.' }),
    ),
  }),
  output: RemoteRepos,
  status: 200,
  annotations: { openWorld: true, idempotent: true },

  handler: async (context, { source, token, workspace: slug, cursor, ...input }) => {
    const { hearth, db, caller, signal } = context
    const url = completeAddress(source, input.url)
    const workspace = findWorkspace(db, slug)
    if (!workspace || (workspaceFacts(db, workspace.slug, caller)?.role ?? null) === null)
      throw notFound(`the workspace ${slug}`)
    await requireImportAddress(hearth, 'url', { url, secret: token ?? null })
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    try {
      const address = { source, url, token: token ?? null }
      const page = await listOwnedRepos(hearth, address, cursor ?? null, timeout)
      return {
        items: page.items.map((repo) => ({
          ...repo,
          exists: findRepoByName(db, workspace.id, repo.name) !== null,
        })),
        next: page.next,
      }
    } catch (error) {
      throw refusalOf(error)
    }
  },
})
