import { writesWorkspaceAsPerson } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { outboundClient, outboundMessage } from '#core/outbound.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { sealSecret } from './credentials.ts'
import { auditUpstream, requireUpstream, upstreamRecord } from './record.ts'
import {
  DEFAULT_KEEP_DAYS,
  DEFAULT_MAX_BYTES,
  DEFAULT_UPSTREAM_URLS,
  TYPES_WITH_AGES,
  Upstream,
  upstreamInputs,
  UpstreamTypeInput,
  type UpstreamType,
} from './schema.ts'
import { emptyCache, findUpstream, putUpstream, type UpstreamRow } from './store.ts'

/** The address as it is stored. Throws 422 for one that may not be reached from here. */
async function requireAddress(hearth: Hearth, caller: SignedIn, text: string): Promise<string> {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalid('url', 'url must be an address such as https://registry.npmjs.org')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalid('url', 'url must not contain a user name, a password, a query or a fragment')
  if (url.origin === new URL(hearth.settings.site_url).origin)
    throw invalid('url', 'url is this site: name the registry that packages come from')
  try {
    await outboundClient(hearth).checkAddress(url)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    // A name without an address may have one later.
    if (error.fault !== 'dns') throw invalid('url', `url: ${outboundMessage(error, caller)}`)
  }
  return trimTrailingSlashes(url.href)
}

/** As people know an address, and as its protocol begins. */
function baseOf(type: UpstreamType, text: string): string {
  if (type === 'pypi') return trimTrailingSlashes(text).replace(/\/simple$/, '')
  if (type === 'nuget') return trimTrailingSlashes(text).replace(/\/index\.json$/i, '')
  if (type === 'composer') return trimTrailingSlashes(text).replace(/\/packages\.json$/i, '')
  return type === 'cargo' ? text.replace(/^sparse\+/, '') : text
}

/** The scope of npm that is called like the workspace is its own. */
const defaultPrefixes = (type: UpstreamType, workspace: string): string[] =>
  type === 'npm' ? [`@${workspace}/`] : []

const originOf = (url: string): string => new URL(url).origin

/** A stored secret is never sent to another server than the one it was given for. */
function keptSecret(before: UpstreamRow | null, url: string): string | null {
  return before !== null && originOf(before.url) === originOf(url) ? before.secret : null
}

export const setPackageUpstream = operation({
  name: 'set_package_upstream',
  summary:
    'Read a type of packages through from another registry and cache the files: members install all they need by the address of the workspace. Names of the workspace, deleted ones too, never come from it. What is left out stays as it is; another url empties the cache. For its owners (people only).',
  keywords: ['registry proxy', 'cache npm packages', 'pull through cache', 'offline installs'],
  route: 'PUT /workspaces/{workspace}/package-upstreams/{package_type}',
  toolset: 'packages',
  access: writesWorkspaceAsPerson('owner', { scope: 'packages:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    package_type: UpstreamTypeInput,
    ...upstreamInputs,
  }),
  output: Upstream,
  annotations: { idempotent: true, openWorld: true },

  handler: async ({ hearth, db, caller, workspace, write }, { package_type: type, ...input }) => {
    if ((input.min_age_days ?? 0) > 0 && !TYPES_WITH_AGES.includes(type))
      throw invalid('min_age_days', `registries of ${type} do not say when a version was published`)
    const now = findUpstream(db, workspace.id, type)
    const given = input.url ?? now?.url ?? DEFAULT_UPSTREAM_URLS[type]
    const url = await requireAddress(hearth, caller, baseOf(type, given))
    return write((tx) => {
      const before = findUpstream(tx.db, workspace.id, type)
      const id = before?.id ?? typeId('pup', tx.now_ms)
      const { secret, username = before?.username ?? '' } = input
      const reserved = input.reserved_prefixes ?? defaultPrefixes(type, workspace.slug)
      putUpstream(tx, {
        id,
        workspace_id: workspace.id,
        type,
        url,
        username: username === '' ? null : username,
        secret:
          secret === undefined
            ? keptSecret(before, url)
            : secret === ''
              ? null
              : sealSecret(hearth, id, secret),
        reserved:
          input.reserved_prefixes === undefined && before
            ? before.reserved
            : JSON.stringify(reserved),
        min_age_days: input.min_age_days ?? before?.min_age_days ?? 0,
        keep_days: input.keep_days ?? before?.keep_days ?? DEFAULT_KEEP_DAYS,
        max_bytes: input.max_bytes ?? before?.max_bytes ?? DEFAULT_MAX_BYTES,
        created_by: caller.id,
      })
      if (before !== null && before.url !== url) emptyCache(tx, id)
      const after = requireUpstream(tx.db, workspace.id, type)
      auditUpstream(tx, 'package_upstream.set', before, after)
      return upstreamRecord(hearth, tx.db, after, workspace.slug)
    })
  },
})
