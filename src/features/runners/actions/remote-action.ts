/**
 * Actions of other forges (`jobs.actions_from`): the commit that a ref stands for is asked for with
 * git, and its files are fetched as an archive, which GitHub, Gitea, Forgejo and Hearth serve below
 * the same address.
 */
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import { remoteTransport } from '#features/repos/index.ts'
import { GitError, RemoteError, type Oid, type RemoteRefs } from '#git'
import { OutboundError, ResponseTooLong } from '#lib/outbound/outbound.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import type { ActionName } from '../execute/job-input.ts'
import { actionCache } from './action-cache.ts'
import { unpackAction } from './unpack-action.ts'

const MAX_ARCHIVE_BYTES = 256 * 1024 ** 2
const TIMEOUT_MS = 10 * MINUTE
const IDLE_TIMEOUT_MS = 30 * SECOND
const MAX_REDIRECTS = 5
/** A ref that others begin with may have many of them. */
const MAX_REFS = 10_000

/** A repository there that does not exist, or that strangers do not see. */
const MISSING = [401, 403, 404, 410]

export type FetchedAction = {
  readonly commit: Oid
  /** The forge that it is from. */
  readonly from: string
  /** Why the commit is the one that the ref stood for earlier; null when it was asked for now. */
  readonly staleBecause: string | null
}

const isCommit = (ref: string): boolean => /^[0-9a-f]{40}$/.test(ref)

/** The commit of a tag or else of a branch; null when there is neither. */
function commitOf({ refs }: RemoteRefs, ref: string): Oid | null {
  for (const name of [`refs/tags/${ref}`, `refs/heads/${ref}`, ref]) {
    const found = refs.find((one) => one.name === name)
    if (found) return found.peeled ?? found.oid
  }
  return null
}

/** Null when the forge does not have the repository. Throws an Error for its other faults. */
async function askForCommit(
  hearth: Hearth,
  url: string,
  { repository, ref }: ActionName,
): Promise<Oid | null> {
  const prefixes = ref.startsWith('refs/') ? [ref] : [`refs/tags/${ref}`, `refs/heads/${ref}`]
  const transport = remoteTransport(hearth, { url, secret: null })
  try {
    const refs = await hearth.git.listRemote(transport, { url, prefixes, maxRefs: MAX_REFS })
    const commit = commitOf(refs, ref)
    if (commit !== null) return commit
  } catch (error) {
    if (error instanceof RemoteError && error.status !== null && MISSING.includes(error.status))
      return null
    throw error
  }
  throw new UnknownRef(`${repository} has no branch and no tag ${ref} at ${new URL(url).origin}`)
}

class UnknownRef extends Error {}

async function openArchive(hearth: Hearth, url: string): Promise<ReadableStream<Uint8Array>> {
  const response = await outboundClient(hearth).open(new URL(url), {
    headers: { accept: 'application/gzip, */*', 'user-agent': 'Hearth actions' },
    timeoutMs: TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    maxBytes: MAX_ARCHIVE_BYTES,
    redirects: MAX_REDIRECTS,
    allowHttp: true,
  })
  if (response.status === 200) return response.body
  await response.body.cancel()
  throw new Error(`${new URL(url).host} answered with the status ${response.status} for ${url}`)
}

/** Faults of the network and of the other forge, for the author of the workflow. */
const messageOf = (error: unknown): string | null =>
  error instanceof ResponseTooLong
    ? `its archive has more than ${MAX_ARCHIVE_BYTES / 1024 ** 2} MiB`
    : error instanceof OutboundError || error instanceof GitError
      ? error.message
      : null

/** The commit of a ref, now or, while the forge is away, as it was last. */
async function resolve(
  hearth: Hearth,
  url: string,
  name: ActionName,
): Promise<{ commit: Oid; staleBecause: string | null } | null> {
  if (isCommit(name.ref)) return { commit: name.ref, staleBecause: null }
  const cache = actionCache(hearth)
  const key = `${url}@${name.ref}`
  try {
    const commit = await askForCommit(hearth, url, name)
    if (commit === null) return null
    await cache.remember(key, commit)
    return { commit, staleBecause: null }
  } catch (error) {
    const why = messageOf(error)
    const known = why === null ? null : await cache.recall(key)
    if (why === null || known === null || !isCommit(known)) throw error
    return { commit: known, staleBecause: why }
  }
}

/**
 * Writes the files of an action into an empty folder. Null when none of the forges has it. Throws an
 * Error with one line for the author.
 */
export async function fetchRemoteAction(
  hearth: Hearth,
  name: ActionName,
  folder: string,
): Promise<FetchedAction | null> {
  for (const base of hearth.settings.jobs.actions_from) {
    const url = `${trimTrailingSlashes(base)}/${name.repository}`
    try {
      const found = await resolve(hearth, url, name)
      if (found === null) continue
      const address = `${url}/archive/${found.commit}.tar.gz`
      const archive = await actionCache(hearth).open(address, () => openArchive(hearth, address))
      await unpackAction(archive, folder).catch(async (error: unknown) => {
        await actionCache(hearth).forget(address)
        throw error
      })
      return { ...found, from: new URL(base).host }
    } catch (error) {
      const why = messageOf(error)
      if (why === null) throw error
      throw new Error(`${name.repository} could not be fetched from ${base}: ${why}`)
    }
  }
  return null
}
